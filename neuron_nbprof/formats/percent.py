"""Percent columns: the tools write fractions under some names and 0 to 100 under others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

FRACTION = "fraction, 1 is all"
PERCENT = "percent, 100 is all"
BEYOND = "beyond 100 percent"
UNKNOWN = "scale not known"

#: A value above is no fraction; utilisations somewhat over 1 are rounding and clock error.
LARGEST_FRACTION = 1.5
LARGEST_PERCENT = 150.0


def scale(values: Iterable[Any]) -> str:
    """The scale that a column's values show; all of them 0 or missing show none.

    >>> scale([0.0628, None]), scale([6.28, 80]), scale([25300.0]), scale([0])
    ('fraction, 1 is all', 'percent, 100 is all', 'beyond 100 percent', 'scale not known')
    """
    numbers = [value for value in values if isinstance(value, (int, float)) and value == value]
    largest = max(numbers, default=0)
    if largest <= 0:
        return UNKNOWN
    if largest <= LARGEST_FRACTION:
        return FRACTION
    return PERCENT if largest <= LARGEST_PERCENT else BEYOND


def scales(frame: pd.DataFrame) -> dict[str, str]:
    """The scale of every percent column. Values stay as the file has them: this only says what they are."""
    return {
        str(name): scale(frame[name].dropna().tolist())
        for name in frame.columns
        if "percent" in str(name) or str(name) == "util"
    }
