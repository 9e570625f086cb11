"""Tables as plain data that JSON knows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def records(table: pd.DataFrame, index: bool = False) -> list[dict[str, Any]]:
    """One dictionary per row, with ``index`` its index too; what is not a number is null."""
    rows: list[dict[str, Any]] = json.loads(
        (table.reset_index() if index else table).to_json(orient="records", double_precision=15)
    )
    return rows
