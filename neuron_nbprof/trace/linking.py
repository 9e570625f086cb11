"""The link rules: from the ids and intervals of rows to edges, best evidence first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .categories import (
    EXECUTION_CALLS,
    HOST_RUNTIME,
    MAIN_RUNTIME_ROWS,
    NEURON_DISPATCH,
    NEURON_RUNTIME,
    NEURON_STREAM,
    NOT_WORK,
)
from .joins import group_codes, latest_before, match
from .lanes import Lane
from .links import Edges, LinkRule
from .rows import Arrows, Int64, Note

Mask = NDArray[np.bool_]


@dataclass
class Linker:
    """Joins rows. Every column has one entry per row, in the row order of the trace; times in ns.

    ``name`` and ``category`` index ``strings``; ``thread`` numbers the host thread of a row, -1 off the host;
    ``core`` numbers the logical Neuron core of a row of the runtime or the hardware, -1 elsewhere;
    ``parent`` is the innermost operator that encloses a row on its own track, -1 for none.
    """

    strings: list[str]
    name: Int64
    category: Int64
    lane: Int64
    thread: Int64
    core: Int64
    track: Int64
    start: Int64
    end: Int64
    parent: Int64
    is_operator: Mask
    scope: Int64
    external: Int64
    correlation: Int64
    sequence: Int64
    execution: Int64
    edges: list[Edges] = field(default_factory=list)

    def notes(self) -> list[Note]:
        """What had to be decided between; to be asked after `run`."""
        if not self.ambiguous:
            return []
        return [Note("rows whose id several causes share, joined to the last that had begun", self.ambiguous)]

    def run(self, arrows: Arrows) -> list[Edges]:
        """Edges as (sources, targets, rule, shared ids), found by the rules in their order."""
        self.has_flow_parent = np.zeros(len(self.start), bool)
        self.has_flow_child = np.zeros(len(self.start), bool)
        self.ambiguous = 0
        self.link_sequences()
        self.link_executions()
        self.link_correlations()
        self.link_arrows(arrows)
        self.link_in_order()
        self.link_owners()
        return self.edges

    def flow(self, source: Int64, target: Int64, rule: LinkRule, key: Int64) -> None:
        """Steps of submissions from each of ``source`` to each of ``target``."""
        self.edges.append((source, target, rule, key))
        self.has_flow_child[source] = True
        self.has_flow_parent[target] = True

    def of_category(self, *names: str) -> Mask:
        wanted = np.array([text in names for text in self.strings], bool)
        return wanted[self.category] if len(wanted) else np.zeros(0, bool)

    def link_sequences(self) -> None:
        """Dispatch -> stream and dispatch -> runtime rows that share an ``nrt_sequence_id``.

        Of several runtime rows the one that hands the work over stands first and leads to the others; where
        no dispatch row shares the id, the stream row leads to the runtime.
        """
        rows = np.flatnonzero((self.sequence != 0) & (self.lane <= Lane.RUNTIME))
        if not len(rows):
            return
        group = group_codes(self.scope[rows], self.sequence[rows])
        order = np.lexsort((rows, self.start[rows], self._main_order(rows), self.lane[rows], group))
        rows, group = rows[order], group[order]
        heads = {lane: self._heads(rows, group, lane) for lane in (Lane.DISPATCH, Lane.STREAM, Lane.RUNTIME)}
        dispatch, stream, runtime = (
            heads[lane][group] for lane in (Lane.DISPATCH, Lane.STREAM, Lane.RUNTIME)
        )
        leader = np.where(dispatch >= 0, dispatch, stream)
        lane = self.lane[rows]
        above = np.where(lane == Lane.STREAM, dispatch, np.where(rows == runtime, leader, runtime))
        joined = (lane > Lane.DISPATCH) & (above >= 0)
        self.flow(above[joined], rows[joined], LinkRule.NRT_SEQUENCE, self.sequence[rows[joined]])
        self.runtime_head = np.full(len(self.start), -1, np.int64)
        self.runtime_head[rows] = runtime

    def _main_order(self, rows: Int64) -> Int64:
        order = {name: i for i, name in enumerate(MAIN_RUNTIME_ROWS)}
        by_name = np.array([order.get(text, len(order)) for text in self.strings], np.int64)
        return np.where(self.lane[rows] == Lane.RUNTIME, by_name[self.name[rows]], 0)

    def _heads(self, rows: Int64, group: Int64, lane: Lane) -> Int64:
        """First row of each group in a lane, -1 where the group has none there."""
        head = np.full(int(group.max()) + 1, -1, np.int64)
        here = self.lane[rows] == lane
        groups, first = np.unique(group[here], return_index=True)
        head[groups] = rows[here][first]
        return head

    def link_executions(self) -> None:
        """Runtime -> hardware rows that share an execution's flow id.

        The id is a small counter that may start again, so of several runtime rows with the same id a core's
        execution belongs to the last that had begun. The edge leaves from the row that handed the work over.
        """
        has_id = self.execution != 0
        joints = np.flatnonzero(has_id & self.of_category(NEURON_RUNTIME))
        cores = np.flatnonzero(has_id & (self.lane == Lane.HARDWARE))
        joint = self._latest(joints, cores, self.execution)
        cores, joint = cores[joint >= 0], joint[joint >= 0]
        if len(cores):
            heads = getattr(self, "runtime_head", np.full(len(self.start), -1, np.int64))[joint]
            self.flow(np.where(heads >= 0, heads, joint), cores, LinkRule.EXEC_FLOW, self.execution[cores])

    def link_correlations(self) -> None:
        """Launch -> work that share a ``correlation`` id."""
        has_id = self.correlation != 0
        launches = np.flatnonzero(has_id & self.of_category(*HOST_RUNTIME, NEURON_DISPATCH))
        device = (self.lane == Lane.STREAM) | (self.lane == Lane.HARDWARE)
        work = np.flatnonzero(has_id & device & ~self.has_flow_parent)
        launch = self._latest(launches, work, self.correlation)
        found = launch >= 0
        self.flow(launch[found], work[found], LinkRule.CORRELATION, self.correlation[work[found]])

    def _latest(self, entries: Int64, asked: Int64, ids: Int64) -> Int64:
        """For each row of ``asked`` the row of ``entries`` with its id that began last by then, or -1."""
        both = np.concatenate([entries, asked])
        group = group_codes(self.scope[both], ids[both])
        known = len(entries)
        shared = np.bincount(group[:known], minlength=int(group.max(initial=-1)) + 1) > 1
        self.ambiguous += int(shared[group[known:]].sum())
        found = latest_before(group[:known], self.start[entries], group[known:], self.start[asked])
        return np.where(found >= 0, entries[found], -1) if known else found

    def link_arrows(self, arrows: Arrows) -> None:
        """The file's own arrows, where they lead down the lanes and no better rule spoke first."""
        source, target = arrows.source, arrows.target
        wanted = (self.lane[source] < self.lane[target]) & ~self.has_flow_parent[target]
        _, first = np.unique(target[wanted], return_index=True)
        self.flow(source[wanted][first], target[wanted][first], LinkRule.AC2G, arrows.key[wanted][first])

    def link_in_order(self) -> None:
        """Rows without any id, joined in their order: guesses, and marked as such.

        Dispatch -> stream rows of one name, where both were written equally often; runtime -> hardware rows,
        where every physical core ran as often as its logical core was given work.
        """
        dispatch = np.flatnonzero(self.of_category(NEURON_DISPATCH) & ~self.has_flow_child)
        stream = np.flatnonzero(self.of_category(NEURON_STREAM) & ~self.has_flow_parent)
        for name in np.intersect1d(self.name[dispatch], self.name[stream]).tolist():
            self._pair_in_order(dispatch[self.name[dispatch] == name], stream[self.name[stream] == name])
        submits = np.flatnonzero(self._hands_over_work() & ~self.has_flow_child)
        runs = np.flatnonzero((self.lane == Lane.HARDWARE) & ~self.has_flow_parent & (self.core >= 0))
        runs = runs[~self._is_named(NOT_WORK)[runs]]
        for core in np.unique(self.core[runs]).tolist():
            given = submits[self.core[submits] == core]
            own = runs[self.core[runs] == core]
            tracks = [own[self.track[own] == track] for track in np.unique(self.track[own])]
            if all(len(rows) == len(given) for rows in tracks):
                for rows in tracks:
                    self._pair_in_order(given, rows)

    def _pair_in_order(self, sources: Int64, targets: Int64) -> None:
        """The nth of ``sources`` leads to the nth of ``targets``, both by start, if they are equally many."""
        if len(sources) == len(targets):
            sources = sources[np.argsort(self.start[sources], kind="stable")]
            targets = targets[np.argsort(self.start[targets], kind="stable")]
            self.flow(sources, targets, LinkRule.SUBMISSION_ORDER, np.zeros(len(sources), np.int64))

    def _hands_over_work(self) -> Mask:
        """Rows of the one runtime call that hands over work, the best known of those in the trace."""
        runtime = self.of_category(NEURON_RUNTIME)
        for name in EXECUTION_CALLS:
            found = runtime & self._is_named({name})
            if found.any():
                return found
        return np.zeros(len(self.start), bool)

    def _is_named(self, names: Collection[str]) -> Mask:
        wanted = np.array([text in names for text in self.strings], bool)
        return wanted[self.name] if len(wanted) else np.zeros(0, bool)

    def link_owners(self) -> None:
        """Operator -> call by ``External id`` where the times agree, else by the enclosing interval.

        Operators that enclose an owner own it in turn, so that a click on ``aten::linear`` finds the work of
        the ``aten::addmm`` inside it.
        """
        calls, host = self._calls()
        owner = self._owner_by_external(calls, host)
        named = owner >= 0
        self.own(owner[named], calls[named], LinkRule.EXTERNAL_ID, self.external[calls[named]])
        rest = calls[~named & host]
        around = self._enclosing(rest)
        found = around >= 0
        self.own(around[found], rest[found], LinkRule.ENCLOSING)
        self._own_owners(np.unique(np.concatenate([owner[named], around[found]])))

    def own(self, owner: Int64, call: Int64, rule: LinkRule, key: Int64 | None = None) -> None:
        self.edges.append((owner, call, rule, np.zeros(len(call), np.int64) if key is None else key))

    def _calls(self) -> tuple[Int64, Mask]:
        """Rows that need an owner, the first row of every submission, and whether each is a host row."""
        host_runtime = self.of_category(*HOST_RUNTIME)
        on_host = self.of_category(NEURON_DISPATCH) | (host_runtime & self.has_flow_child)
        off_host = (self.lane >= Lane.STREAM) & (self.external != 0) & ~self.has_flow_parent & ~host_runtime
        calls = np.flatnonzero(on_host | off_host)
        return calls, on_host[calls]

    def _owner_by_external(self, calls: Int64, host: Mask) -> Int64:
        owners = np.flatnonzero(self.is_operator & (self.external != 0))
        both = np.concatenate([owners, calls])
        code = group_codes(self.scope[both], self.external[both])
        found = match(code[: len(owners)], code[len(owners) :])
        owner = np.where(found >= 0, owners[found], -1) if len(owners) else found
        named = (self.external[calls] != 0) & (owner >= 0)
        begun = self.start[owner] <= self.start[calls]
        # an operator whose duration was lost (shown as 0) still says by its id what it called
        lasting = ~host | (self.end[owner] >= self.start[calls]) | (self.end[owner] == self.start[owner])
        return np.where(named & begun & lasting, owner, -1)

    def _enclosing(self, calls: Int64) -> Int64:
        """The innermost operator of the same host thread that contains each call, -1 for none."""
        operators = np.flatnonzero(self.is_operator)
        if not len(operators) or not len(calls):
            return np.full(len(calls), -1, np.int64)
        # of operators that begin together the innermost lies deepest and comes last
        operators = operators[np.lexsort((-self.end[operators], self.start[operators]))]
        found = latest_before(
            self.thread[operators], self.start[operators], self.thread[calls], self.start[calls]
        )
        owner = np.where(found >= 0, operators[found], -1)
        while True:
            outside = (owner >= 0) & (
                (self.end[owner] < self.end[calls]) | (self.start[owner] > self.start[calls])
            )
            if not outside.any():
                return owner
            owner = np.where(outside, self.parent[owner], owner)

    def _own_owners(self, owners: Int64) -> None:
        """Edges from enclosing operators down to the operators that own calls, each once."""
        linked = np.zeros(len(self.start), bool)
        while len(owners):
            owners = owners[(self.parent[owners] >= 0) & ~linked[owners]]
            linked[owners] = True
            above = self.parent[owners]
            self.own(above, owners, LinkRule.ENCLOSING)
            owners = np.unique(above)
