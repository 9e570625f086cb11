from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .rule import Finding, Rule
from .view import View
from .words import count, time

#: Fewer per step are not many; an execution up to this many times the shortest costs little but its launch.
MANY, LIKE_THE_SHORTEST = 8, 1.5


def find(view: View) -> Iterator[Finding]:
    table = view.compute
    taken = [place for _, places in view.patterns for place in places]
    table = table[~np.isin(np.arange(len(table)), taken)]
    steps = max(view.compute["step"].nunique(), 1)
    if not len(table):
        return
    shortest = int(view.compute["neuron_ns"].min())
    small = table[table["neuron_ns"] <= LIKE_THE_SHORTEST * shortest]
    if len(small) < MANY * steps or 2 * len(small) < len(view.compute):
        return
    spent = int(small["neuron_ns"].sum())
    yield Finding(
        f"{count(len(small), 'execution')} take hardly longer than the shortest of all ({time(shortest)}), "
        f"so they pay for being executed and not for their data: {time(spent)} together, of which one "
        f"program {'a step' if steps > 1 else 'instead'} could save at most "
        f"{time(spent - steps * shortest)}.",
        small["row"],
        saving_us=(spent - steps * shortest) / 1000,
    )


RULE = Rule(
    "small-executions",
    "warning",
    "many executions that all cost about what executing anything costs",
    'torch.compile the step (backend="neuron"), so that they become one program.',
    find,
)
