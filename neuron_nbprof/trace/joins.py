"""Joins of rows by id and by time, whole columns at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]


def group_codes(*columns: Int64) -> Int64:
    """One small integer per distinct combination of the columns' values, in their sorted order."""
    codes = np.unique(columns[0], return_inverse=True)[1].astype(np.int64)
    for column in columns[1:]:
        values, inverse = np.unique(column, return_inverse=True)
        codes = np.unique(codes * len(values) + inverse, return_inverse=True)[1].astype(np.int64)
    return codes


def latest_before(group: Int64, moment: Int64, asked_group: Int64, asked_moment: Int64) -> Int64:
    """For each question (a group and a moment) the entry of that group that began last by then.

    When the group's entries all begin later, its first one answers, for clocks may disagree; -1 where the
    group has none. Entries and questions may come in any order; of equal moments the later entry answers.
    """
    known = len(group)
    both = np.concatenate([group, asked_group])
    is_question = np.arange(len(both)) >= known
    order = np.lexsort((is_question, np.concatenate([moment, asked_moment]), both))
    sorted_group = both[order]
    entry = np.where(is_question[order], -1, np.arange(len(order)))
    latest = np.maximum.accumulate(entry)
    same = (latest >= 0) & (sorted_group[latest] == sorted_group)
    first = _first_entry(sorted_group, entry)
    position = np.where(same, latest, first)
    answers = np.full(len(asked_group), -1, np.int64)
    questions = np.flatnonzero(is_question[order])
    found = questions[position[questions] >= 0]
    answers[order[found] - known] = order[position[found]]
    return answers


def _first_entry(sorted_group: Int64, entry: Int64) -> Int64:
    """Place of the first entry of each place's group, -1 for a group of questions only."""
    places = np.flatnonzero(entry >= 0)
    groups, first = np.unique(sorted_group[places], return_index=True)
    if not len(groups):
        return np.full(len(sorted_group), -1, np.int64)
    at = np.minimum(np.searchsorted(groups, sorted_group), len(groups) - 1)
    return np.where(groups[at] == sorted_group, places[first[at]], -1)


def match(values: Int64, asked: Int64) -> Int64:
    """For each of ``asked`` the first position in ``values`` that equals it, -1 for none."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    at = np.searchsorted(ordered, asked)
    inside = at < len(values)
    found = np.full(len(asked), -1, np.int64)
    hit = inside & (ordered[np.minimum(at, max(len(values) - 1, 0))] == asked) if len(values) else inside
    found[hit] = order[at[hit]]
    return found
