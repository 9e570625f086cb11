"""Links: the edges from an operator to its calls, to the runtime and to the hardware.

Each edge keeps the rule that made it and the id both ends share. Rules are tried from the best evidence to
the weakest; 0 is never an id; direction comes from the lanes, never from the clocks, which may disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]


class LinkRule(IntEnum):
    """Why two events are joined, best evidence first."""

    NRT_SEQUENCE = 0
    EXEC_FLOW = 1
    CORRELATION = 2
    EXTERNAL_ID = 3
    AC2G = 4
    ENCLOSING = 5
    SUBMISSION_ORDER = 6

    @property
    def text(self) -> str:
        return RULE_TEXTS[self]


RULE_TEXTS = {
    LinkRule.NRT_SEQUENCE: "nrt_sequence_id",
    LinkRule.EXEC_FLOW: "exec flow",
    LinkRule.CORRELATION: "correlation",
    LinkRule.EXTERNAL_ID: "External id",
    LinkRule.AC2G: "arrow in the file (ac2g)",
    LinkRule.ENCLOSING: "enclosing interval",
    LinkRule.SUBMISSION_ORDER: "order of submission (guessed)",
}

#: Rules by which an operator owns a call; every other rule follows one submission through the lanes.
OWNER_RULES = frozenset({LinkRule.EXTERNAL_ID, LinkRule.ENCLOSING})


#: Edges that one rule found: sources, targets, the rule, the ids that both ends share.
Edges = tuple[Int64, Int64, LinkRule, Int64]


@dataclass(frozen=True)
class Links:
    """Edges in compressed rows: those of row i are ``targets[offsets[i]:offsets[i + 1]]``.

    ``rule`` and ``key`` run parallel to ``targets``; ``key`` is the shared id (int64), 0 where the rule has
    none. ``reverse_offsets`` and ``reverse_edges`` give, for each row, the positions of its incoming edges;
    ``sources`` is the source row of every edge.
    """

    offsets: NDArray[np.uint32]
    targets: NDArray[np.uint32]
    rule: NDArray[np.uint8]
    key: NDArray[np.int64]
    sources: NDArray[np.uint32]
    reverse_offsets: NDArray[np.uint32]
    reverse_edges: NDArray[np.uint32]

    @classmethod
    def from_edges(cls, rows: int, edges: Sequence[Edges]) -> Links:
        """Sort edges, given as (sources, targets, rule, keys), by source and target.

        An edge that two rules found keeps the better one.
        """
        empty = [np.zeros(0, np.int64)]
        source = np.concatenate(empty + [edge[0] for edge in edges])
        target = np.concatenate(empty + [edge[1] for edge in edges])
        rule = np.concatenate(empty + [np.full(len(edge[0]), edge[2], np.int64) for edge in edges])
        key = np.concatenate(empty + [edge[3] for edge in edges])
        order = np.lexsort((rule, target, source))
        source, target = source[order], target[order]
        kept = np.ones(len(order), bool)
        kept[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
        source, target, order = source[kept], target[kept], order[kept]
        return cls(
            offsets=_offsets(source, rows),
            targets=target.astype(np.uint32),
            rule=rule[order].astype(np.uint8),
            key=key[order],
            sources=source.astype(np.uint32),
            reverse_offsets=_offsets(target, rows),
            reverse_edges=np.argsort(target, kind="stable").astype(np.uint32),
        )

    def outgoing(self, row: int) -> range:
        """Positions of the edges that leave ``row``."""
        return range(int(self.offsets[row]), int(self.offsets[row + 1]))

    def incoming(self, row: int) -> list[int]:
        """Positions of the edges that reach ``row``."""
        low, high = self.reverse_offsets[row], self.reverse_offsets[row + 1]
        return [int(edge) for edge in self.reverse_edges[low:high]]

    def is_owner(self, edge: int) -> bool:
        return int(self.rule[edge]) in OWNER_RULES


def _offsets(rows_of_edges: Int64, rows: int) -> NDArray[np.uint32]:
    counts = np.bincount(rows_of_edges, minlength=rows)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
