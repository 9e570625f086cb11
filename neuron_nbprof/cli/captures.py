"""What the verbs share: the captures they are given, and answers for scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from ..profile import Profile

Verb = TypeVar("Verb", bound=Callable[..., Any])

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")


def chosen(verb: Verb) -> Verb:
    """Which capture is meant, where a folder holds several."""
    verb = click.option("--rank", type=int, help="Of several captures below PATH, this rank's.")(verb)
    return click.option("--session", help="Of several captures below PATH, the one with this in its path.")(
        verb
    )


def paths(verb: Verb) -> Verb:
    return chosen(click.argument("paths", metavar="PATH...", nargs=-1, required=True)(verb))


def read(path: str, rank: int | None = None, session: str | None = None) -> Profile:
    from .. import open as open_profile

    return open_profile(path, rank=rank, session=session)


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=1, ensure_ascii=False))
