"""Tables as plain data that JSON knows, and names that tell their rows apart."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def records(table: pd.DataFrame, index: bool = False) -> list[dict[str, Any]]:
    """One dictionary per row, with ``index`` its index too; what is not a number is null."""
    rows: list[dict[str, Any]] = json.loads(
        (table.reset_index() if index else table).to_json(orient="records", double_precision=15)
    )
    return rows


def unique(names: Iterable[str]) -> list[str]:
    """The same names, each further one with a number behind it: ``a``, ``a (2)``."""
    found: dict[str, None] = {}
    seen: Counter[str] = Counter()
    for name in names:
        title = name
        while title in found:
            seen[name] += 1
            title = f"{name} ({seen[name] + 1})"
        found[title] = None
    return list(found)
