"""``neuron-nbprof``: the explorer and its answers from a shell. One file per verb.

Exit codes: 0, it did what was asked; 1, a check failed; 2, it could not, with one sentence on stderr.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from .. import __version__
from ..errors import NeuronProfilerError
from . import chain, check, compare, convert, demo, doctor, summary, view

CANNOT = 2


class _Failure(click.ClickException):
    exit_code = CANNOT

    def show(self, file: Any = None) -> None:
        click.echo(f"neuron-nbprof: {self.message}", err=True)


class _Verbs(click.Group):
    """Errors that a user may meet become one sentence."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (NeuronProfilerError, OSError) as error:
            if isinstance(error, BrokenPipeError):
                raise
            raise _Failure(str(error)) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # as they follow one another in use, not by the alphabet


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="neuron-nbprof", message="%(prog)s %(version)s")
def verbs() -> None:
    """Explore profiles of PyTorch on AWS Trainium.

    PATH is a capture folder, any folder above one, or a trace.json(.gz).
    """


for module in (summary, chain, view, compare, check, convert, doctor, demo):
    verbs.add_command(module.command)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; returns the exit code."""
    try:
        verbs.main(None if argv is None else list(argv), prog_name="neuron-nbprof")
    except SystemExit as end:
        return int(end.code or 0)
