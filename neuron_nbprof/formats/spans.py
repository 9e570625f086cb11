"""Begin and end rows (``B``, ``E``) of writers other than Kineto, paired into events with a duration."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(frozen=True)
class Mark:
    """One begin or end row: its place in the file, its thread, its name (may be empty), its time in ns."""

    row: int
    thread: Hashable
    name: str
    time: int
    begins: bool


def pair(marks: list[Mark]) -> tuple[dict[int, int], Counter[str]]:
    """Duration in ns by the row of each begin, and what had to be guessed or left out.

    An end closes the innermost open begin of its thread with its name, else the innermost; a begin without
    an end lasts until the last mark of its thread.
    """
    durations: dict[int, int] = {}
    left: Counter[str] = Counter()
    threads: dict[Hashable, list[Mark]] = defaultdict(list)
    for mark in marks:
        threads[mark.thread].append(mark)
    for own in threads.values():
        own.sort(key=lambda mark: (mark.time, mark.row))
        running: list[Mark] = []
        for mark in own:
            if mark.begins:
                running.append(mark)
                continue
            begin = _begin_of(mark, running)
            if begin is None:
                left["ends without a begin, left out"] += 1
                continue
            durations[begin.row] = mark.time - begin.time
            running.remove(begin)
        for begin in running:
            durations[begin.row] = own[-1].time - begin.time
            left["begins without an end, end guessed as the last mark of the thread"] += 1
    return durations, left


def _begin_of(end: Mark, running: list[Mark]) -> Mark | None:
    same = next((mark for mark in reversed(running) if mark.name == end.name), None)
    if same is not None:
        return same
    return running[-1] if running and not end.name else None
