from __future__ import annotations

from collections.abc import Iterator

from .rule import Finding, Rule
from .view import View
from .words import count


def find(view: View) -> Iterator[Finding]:
    table = view.compute[view.compute["step"] >= 0]
    steps = table["step"].nunique()
    if steps < 2 or not view.is_neuron:
        return
    table = table.assign(shape=[s.text for s in view.signatures(table["row"].to_numpy())])
    table = table[table["shape"] != ""]
    first = table.drop_duplicates(["name", "shape"])
    later = first[first["step"] > table["step"].min()]
    changing = later.groupby("name", observed=True)["step"].nunique()
    names = changing[changing == steps - 1].index
    evidence = later[later["name"].isin(names)]
    if not len(evidence):
        return
    shapes = table[table["name"] == names[0]]["shape"].unique().tolist()
    shown = "; ".join(shapes[:3]) + (" …" if len(shapes) > 3 else "")
    yield Finding(
        f"{count(len(names), 'operator')} met a shape in every step that no step before had ({names[0]}: "
        f"{shown}): the Neuron backend compiles a program for each.",
        evidence["row"],
    )


RULE = Rule(
    "new-shapes",
    "warning",
    "an operator meets a new shape in every step",
    "Pad to a few fixed sizes (buckets); compiled programs are of one shape (torch.compile(..., "
    "dynamic=False)).",
    find,
)
