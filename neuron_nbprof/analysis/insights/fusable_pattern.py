from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from .patterns import Pattern
from .rule import Finding, Rule
from .view import View
from .words import count, time


def find(view: View) -> Iterator[Finding]:
    rows = view.compute["row"].to_numpy()
    found: dict[Pattern, list[list[int]]] = defaultdict(list)
    for pattern, places in view.patterns:
        found[pattern].append(rows[places].tolist())
    # of patterns with two spellings the name speaks for both
    by_name: dict[str, list[list[int]]] = defaultdict(list)
    replacement = {}
    for pattern, groups in found.items():
        by_name[pattern.name] += groups
        replacement[pattern.name] = pattern.replacement
    for name, groups in by_name.items():
        yield _finding(view, name, sorted(groups), replacement[name])


def _finding(view: View, name: str, groups: list[list[int]], replacement: str) -> Finding:
    found = view.found
    runs = np.flatnonzero(found.executes)
    executions = gaps = bound = total = 0
    shortest_of_all = 0
    of_operator: dict[int, list[int]] = defaultdict(list)
    for at, operator in zip(runs.tolist(), found.operator[runs].tolist(), strict=True):
        of_operator[operator].append(at)
    for rows in groups:
        mine = [at for row in rows for at in of_operator[row]]
        begin, end = found.begin[mine], found.end[mine]
        span, busy = int(end.max() - begin.min()), int((end - begin).sum())
        shortest = int((end - begin).min())
        executions += len(mine)
        total += span
        gaps += max(span - busy, 0)
        bound += span - shortest
        shortest_of_all += shortest
    times = "" if len(groups) == 1 else f", {len(groups):,} times"
    first, last = view.names(np.array([groups[0][0], groups[0][-1]]))
    remain = len(groups)
    ones, each, in_all = ("one", "", "") if remain == 1 else (f"{remain:,}", " each time", " in all")
    return Finding(
        f"{count(executions, 'execution')} can be {ones}: from {first} to {last} stands a decomposed "
        f"{name}{times}. From first to last they take {time(total)}; what remains is one execution{each}, "
        f"which will hardly take less than the shortest of them ({time(shortest_of_all)}{in_all}), for it "
        f"reads the same data; so fusing saves at most {time(bound)}, of which {time(gaps)} are gaps "
        "between executions.",
        [row for rows in groups for row in rows],
        f"Use {replacement}, or torch.compile the function that they come from.",
        saving_us=bound / 1000,
    )


RULE = Rule(
    "fusable-pattern",
    "warning",
    "a known function was dispatched as its parts: RMSNorm, LayerNorm, softmax, GELU, SiLU gate, attention",
    "Use the fused operator, or torch.compile the function.",
    find,
)
