"""What appears below a cell: headline, table, explorer."""

from __future__ import annotations

import argparse
import re
import textwrap
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.display import display

if TYPE_CHECKING:
    import pandas as pd

    from ..profile import Profile

#: Columns of the operator table that stand below a cell; `Profile.key_averages()` has more.
SHOWN = ("name", "calls", "cpu_us", "self_cpu_us", "neuron_us", "share", "executions")

#: Letters of a line that fit below a cell; JupyterLab breaks a longer one within a word.
LINE = 90
UNBROKEN = "\N{NO-BREAK SPACE}"


def check(options: argparse.Namespace) -> None:
    """Raises UsageError when the table cannot be shown like that."""
    from ..analysis.operators import COLUMNS

    if options.sort is not None and options.sort not in COLUMNS:
        raise UsageError(f"There is no column {options.sort!r} to sort by; there are {', '.join(COLUMNS)}.")
    if options.rows < 1:
        raise UsageError(f"--rows is a number from 1 on, not {options.rows}.")


def table(profile: Profile, options: argparse.Namespace) -> pd.DataFrame:
    """The operator table, chosen and ordered as asked."""
    averages = profile.key_averages()
    if options.filter:
        # Parts between stars are found in that order, at any place.
        pattern = ".*".join(map(re.escape, options.filter.split("*")))
        averages = averages[averages["name"].str.contains(pattern, case=False, regex=True)]
    if options.sort:
        averages = averages.sort_values(options.sort, ascending=options.sort == "name", kind="stable")
    return averages


def show(shell: Any, profile: Profile, options: argparse.Namespace) -> Any:
    """Show the profile; returns the handle by which the explorer can be exchanged later, if there is one."""
    from .. import report

    if _open(options):
        return None
    print(_folded(report.headline(profile)))
    if options.show == "none":
        return None
    averages = table(profile, options)
    if not hasattr(shell, "kernel"):
        print(report.operators(profile, rows=options.rows, table=averages))
        _reconcile(profile)
        return None
    display(averages.head(options.rows)[list(SHOWN)])
    if len(averages) > options.rows:
        print(f"… and {len(averages) - options.rows} more operators, see --rows")
    _reconcile(profile)
    if options.show == "table":
        return None
    return display(_explorer(profile, options), display_id=True)


def _folded(line: str) -> str:
    """A long line on several, broken between its parts."""
    whole = line.replace(" ", UNBROKEN).replace(f"{UNBROKEN}·{UNBROKEN}", f"{UNBROKEN}· ")
    folded = textwrap.fill(
        whole, LINE, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return folded.replace(UNBROKEN, " ")


def _reconcile(profile: Profile) -> None:
    sentence = profile.reconcile()
    if sentence:
        print(sentence)


def update(handle: Any, profile: Profile, options: argparse.Namespace) -> None:
    """Exchange the explorer of a capture that has got more lanes meanwhile."""
    if handle is not None:
        handle.update(_explorer(profile, options))


def _open(options: argparse.Namespace) -> list[str]:
    """What a prediction is still to come of; until then nothing is shown that would give it away."""
    return [what for what, expected in options.expect or () if expected is None]


def expectations(profile: Profile, options: argparse.Namespace) -> None:
    """Check predictions aloud."""
    if what := " and ".join(_open(options)):
        print(f"Your turn: put your prediction of {what} where the ... is, and run this cell again.")
        print("What the profile shows is held back until then.")
        return
    numbers = profile.summary()
    for what, expected in options.expect or ():
        found = numbers[what]
        verdict = "as predicted" if found == expected else f"not {expected:,} as predicted"
        print(f"{'✓' if found == expected else '✗'} {what}: {found:,}, {verdict}.")


def _explorer(profile: Profile, options: argparse.Namespace) -> Any:
    from ..explorer.embedded import Embedded

    return Embedded(profile) if options.embed else profile.explore()
