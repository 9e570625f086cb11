"""Times of a Chrome trace: microseconds as text, read to whole nanoseconds without rounding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

import msgspec
import numpy as np

from ..trace.rows import TIME_LIMIT, Int64

#: Below this many µs a double holds every ns exactly; Kineto's times stay below, other writers' may not.
EXACT_MICROSECONDS = 2.0**42


def nanoseconds(text: bytes | msgspec.Raw) -> int | None:
    """The text of a JSON number (or string) of microseconds in whole ns; None when it is not a number.

    >>> nanoseconds(b"5107091558253.120")
    5107091558253120
    """
    whole, _, fraction = bytes(text).strip(b'"').partition(b".")
    try:
        if whole.lstrip(b"-").isdigit() and len(fraction) <= 3 and (fraction.isdigit() or not fraction):
            ns = int(whole.lstrip(b"-")) * 1000 + int(fraction.ljust(3, b"0"))
            return -ns if whole.startswith(b"-") else ns
        value = Decimal(bytes(text).strip(b'"').decode()) * 1000
        return int(value.to_integral_value()) if value.is_finite() and value.adjusted() < 20 else None
    except (ValueError, ArithmeticError):
        return None


def nanosecond_column(texts: Sequence[msgspec.Raw]) -> tuple[Int64, Int64]:
    """`nanoseconds` of many texts at once, and the places of those that are not numbers (0 there)."""
    found = _uniform_column(b",".join(texts), len(texts))
    if found is not None:
        return found, np.zeros(0, np.int64)
    values = [nanoseconds(text) for text in texts]
    missing = [i for i, ns in enumerate(values) if ns is None or not -TIME_LIMIT < ns < TIME_LIMIT]
    for i in missing:
        values[i] = 0
    return np.array(values, np.int64), np.array(missing, np.int64)


def _uniform_column(joined: bytes, count: int) -> Int64 | None:
    """Times that doubles hold exactly, or that are all written alike: whole, or with three decimals.

    None for any other mixture.
    """
    try:
        micro = np.array(msgspec.json.decode(b"[" + joined + b"]", type=list[float]), np.float64)
        if count == 0 or np.abs(micro).max() < EXACT_MICROSECONDS:
            return np.rint(micro * 1000).astype(np.int64)
        scale = 1000
        if joined.count(b".") == count:
            scale = 1 if len(_THREE_DECIMALS.findall(joined)) == count else 0
            joined = joined.replace(b".", b"")
        whole = np.array(msgspec.json.decode(b"[" + joined + b"]", type=list[int]), np.int64)
        return whole * scale if scale and np.abs(whole).max() < TIME_LIMIT // scale else None
    except (msgspec.DecodeError, OverflowError):
        return None


_THREE_DECIMALS = re.compile(rb"\.\d{3}(?=,|\Z)")
