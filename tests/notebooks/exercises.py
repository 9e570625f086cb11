"""What readers of a notebook do: leave an exercise open, get it wrong, copy the solution.

An exercise is a code cell with an open answer (``name = ...``, or ``--expect executions=...``) and something
that checks it. Right below it a markdown cell folds the solution away; its Python block stands for what is
above ``check(`` in the exercise, or for the whole cell where it does its own checking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from neuron_nbprof.teaching import ENGLISH, PERSIAN

OPEN = re.compile(r"(?<== )\.\.\.$|(?<==)\.\.\.", re.MULTILINE)
SOLUTION = re.compile(
    r"<details[^>]*>\s*<summary>[^<]+</summary>.*^```python\n(.+?)^```$.*</details>\s*",
    re.DOTALL | re.MULTILINE,
)
CHECKS = re.compile(r"^check\(", re.MULTILINE)

TURN = (ENGLISH.your_turn, PERSIAN.your_turn, "Your turn:")
RIGHT = (ENGLISH.right, PERSIAN.right, "✓")
WRONG = (ENGLISH.not_yet, PERSIAN.not_yet, "✗")
ISOLATES = "\u2067\u2069"


class Exercise(NamedTuple):
    """Where it stands among the cells, what is in it, and what its solution says."""

    position: int
    source: str
    solution: str

    @property
    def wrong(self) -> str:
        """The exercise with answers that cannot be right."""
        return OPEN.sub(lambda found: "99" if "--expect" in self.source else "'certainly not'", self.source)

    @property
    def solved(self) -> str:
        checks = CHECKS.search(self.source)
        if checks is None or CHECKS.search(self.solution):
            return self.solution
        return f"{self.solution}\n{self.source[checks.start() :]}"


def exercises(notebook: NotebookNode) -> list[Exercise]:
    return list(_exercises(notebook.cells))


def _exercises(cells: list[NotebookNode]) -> Iterator[Exercise]:
    for position, cell in enumerate(cells):
        if cell.cell_type != "code" or not OPEN.search(cell.source):
            continue
        below = cells[position + 1].source
        solution = SOLUTION.fullmatch(below)
        assert solution, f"no solution is folded away below:\n{cell.source}\nbut:\n{below}"
        yield Exercise(position, cell.source, solution[1])


def answered(notebook: NotebookNode) -> list[tuple[int, tuple[str, ...]]]:
    """Put a wrong and a right answer below each exercise; where they stand, and what they ought to get."""
    expected = []
    for number, exercise in enumerate(exercises(notebook)):
        wrong, right = exercise.position + 2 * number + 1, exercise.position + 2 * number + 2
        notebook.cells[wrong:wrong] = [new_code_cell(exercise.wrong), new_code_cell(exercise.solved)]
        expected += [(wrong, WRONG), (right, RIGHT)]
    return expected


def verdicts(cell: NotebookNode) -> list[str]:
    """The lines that a check has printed."""
    printed = "".join(output.text for output in cell.outputs if output.output_type == "stream")
    lines = [line.strip(ISOLATES) for line in printed.splitlines()]
    return [line for line in lines if line.startswith(TURN + RIGHT + WRONG)]
