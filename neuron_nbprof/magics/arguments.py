"""The line of ``%%neuronprof``: its options, their help, and what is wrong with them in one sentence."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic_arguments import argument, magic_arguments

from ..capture import CHOICES, MODES

SHOW = ("explorer", "table", "none")
EXPECTED = ("executions", "events")

_TOKEN = re.compile(r"\s*((?:'[^']*'|\"[^\"]*\"|[^\s'\"])+)")


def _expectation(text: str) -> tuple[str, int | None]:
    """None for ``...``, which is where a tutorial asks for a prediction."""
    what, separator, number = text.partition("=")
    if not separator or what not in EXPECTED or not (number.isdigit() or number == "..."):
        raise argparse.ArgumentTypeError(f"write {' or '.join(f'{e}=6' for e in EXPECTED)}, not {text!r}")
    return what, None if number == "..." else int(number)


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


#: Both magics take these; each default is a setting of `NeuronMagics` (``%config NeuronMagics``).
OPTIONS = (
    argument("--once", action="store_true", help="run once, recorded: for a cell that must not repeat"),
    argument("--wait", type=int, metavar="N", help="runs that are not recorded (default: 2)"),
    argument("--warmup", type=int, metavar="N", help="runs that warm the profiler up (default: 1)"),
    argument("--active", type=int, metavar="N", help="runs that are recorded (default: 1)"),
    argument("--device", choices=CHOICES, help="where to record; default: see %%neuronprof_device"),
    argument("--modes", type=_list, metavar="M,...", help=f"streams to record, of {', '.join(MODES)}"),
    argument("--nc", metavar="CORES", help="logical NeuronCores to record, such as 0,2-5 (default: all)"),
    argument("--max-events", type=int, metavar="N", help="events that are kept of each core"),
    argument("--neff-cache", type=Path, metavar="DIR", help="where compiled programs are kept"),
    argument("--out", type=Path, metavar="DIR", help="where captures go (default: neuron_profiles)"),
    argument("--shapes", action=argparse.BooleanOptionalAction, default=None, help="record shapes of inputs"),
    argument("--stack", action="store_true", default=None, help="record Python calls, also below the cell"),
    argument("--memory", action="store_true", default=None, help="record allocations"),
    argument("--flops", action="store_true", default=None, help="record estimated floating point operations"),
    argument("--sort", metavar="COLUMN", help="order the table by this column"),
    argument("--rows", type=int, metavar="N", help="rows of the table"),
    argument("--filter", metavar="TEXT", help="only operators with this in their name; * is anything"),
    argument("--show", choices=SHOW, help="what to show below the cell (default: explorer)"),
    argument(
        "--embed", action=argparse.BooleanOptionalAction, default=None,
        help="a self-contained page instead of a widget (default: in VS Code)",
    ),
    argument(
        "--expect", type=_expectation, action="append", metavar="WHAT=N",
        help="a prediction that is checked aloud, such as executions=6",
    ),
)  # fmt: skip


def profiling_arguments(magic: Callable[..., Any]) -> Callable[..., Any]:
    """Give a magic the options and let ``?`` show them."""
    for option in (argument("name", nargs="?", help="variable for the Profile"), *reversed(OPTIONS)):
        magic = option(magic)
    return magic_arguments()(magic)


def split(line: str) -> list[str]:
    """The words of a line, quotes understood; {braces} and $names are left alone."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(f"{error} in: {line}") from None


def parse(magic: Any, line: str) -> argparse.Namespace:
    """Options of a cell magic.  Raises UsageError in one sentence."""
    try:
        return magic.parser.parse_args(split(line))
    except SystemExit:  # --help
        raise UsageError(f"See %%{magic.__name__}? for the options.") from None


def parse_statement(magic: Any, line: str) -> tuple[argparse.Namespace, str]:
    """Options of a line magic and the statement behind them, which is taken as it stands."""
    position = 0
    while (found := _TOKEN.match(line, position)) and found[1].startswith("--"):
        option, separator, _ = found[1].partition("=")
        position = found.end()
        known = magic.parser._option_string_actions.get(option)
        takes_value = known is not None and known.nargs != 0 and not separator
        if takes_value and (value := _TOKEN.match(line, position)):
            position = value.end()
    return parse(magic, line[:position]), line[position:].strip()
