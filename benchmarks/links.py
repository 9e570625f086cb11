"""How many device rows reach an operator, per trace, and by which rules.

    python benchmarks/links.py TRACE [TRACE ...]

`reached` is the share of executions on a device (marks and annotations left out) whose chain leads up to an
operator; `launched` the share that a shared id, an arrow or a guess joins to what launched them. Below each
trace stand its edges by rule.
"""

from __future__ import annotations

import sys

import numpy as np

import neuron_nbprof
from neuron_nbprof.analysis.ownership import device_work, ownership
from neuron_nbprof.trace import LinkRule


def main(paths: list[str]) -> None:
    print(f"{'trace':44}{'device rows':>12}{'launched':>10}{'reached':>9}")
    for path in paths:
        try:
            trace = neuron_nbprof.open(path, progress=False).trace
        except neuron_nbprof.ReadError as error:
            print(f"{path}: {error}")
            continue
        work, owned = device_work(trace), ownership(trace)
        name = path.rpartition("/")[2][:43]
        if not len(work):
            print(f"{name:44}{0:12}")
            continue
        launched = np.mean(owned.root[work] != work)
        reached = np.mean(owned.operator[work] >= 0)
        print(f"{name:44}{len(work):12,}{launched:10.1%}{reached:9.1%}")
        for rule, count in zip(*np.unique(trace.links.rule, return_counts=True), strict=True):
            print(f"    {LinkRule(int(rule)).text:40}{count:12,}")


if __name__ == "__main__":
    main(sys.argv[1:])
