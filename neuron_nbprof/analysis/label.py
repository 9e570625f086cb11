"""A table of simulated times says so wherever it is shown: its columns are called that."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec

from ..trace import Trace

if TYPE_CHECKING:
    import pandas as pd

Options = ParamSpec("Options")


def label(table: pd.DataFrame, simulated: bool) -> pd.DataFrame:
    """The same table, labelled if it holds times of the simulated device."""
    table.columns.name = "SIMULATED, times are modelled" if simulated else None
    return table


def labelled(
    answer: Callable[Concatenate[Trace, Options], pd.DataFrame],
) -> Callable[Concatenate[Trace, Options], pd.DataFrame]:
    """Label what an answer about a trace returns."""

    @wraps(answer)
    def told(trace: Trace, *args: Options.args, **options: Options.kwargs) -> pd.DataFrame:
        return label(answer(trace, *args, **options), trace.simulated)

    return told
