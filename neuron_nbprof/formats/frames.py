"""Rows of dictionaries as pandas tables whose integers stay exact."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..errors import ReadError
from . import percent
from .source import Source

if TYPE_CHECKING:
    import pandas as pd


def frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """One column per key, in order of first appearance; ``attrs["percent_scale"]`` is `percent.scales`.

    A column of integers with gaps is ``Int64``, never float: ids need all of their 64 bits.
    """
    import pandas as pd

    names = list(dict.fromkeys(key for row in rows for key in row))
    out = pd.DataFrame({name: column([row.get(name) for row in rows]) for name in names})
    out.attrs["percent_scale"] = percent.scales(out)
    return out


def column(values: list[Any]) -> pd.Series:
    """Values as the narrowest exact kind: booleans, Int64, floats, else objects."""
    import pandas as pd

    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pd.Series(values, dtype="boolean")
    if kinds == {int} and all(value is None or -(1 << 63) <= value < 1 << 63 for value in values):
        return pd.Series(values, dtype="Int64")
    if kinds and kinds <= {int, float} and all(type(v) is not int or abs(v) <= 1 << 53 for v in values):
        return pd.Series(values, dtype="float64")
    return pd.Series(values, dtype=object)


def source_of(path: str | os.PathLike[str]) -> Source:
    """A file by its path; raises ReadError when it cannot be opened."""
    try:
        return Source(path)
    except OSError as error:
        raise ReadError(f"{os.fspath(path)} cannot be read: {error.strerror or error}.") from None
