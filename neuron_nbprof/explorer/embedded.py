"""The explorer as an output that needs neither a kernel nor a widget manager: the whole page in a frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import page

#: Pixels that the lanes, tables and header of one profile take, and of one among several.
HEIGHT, HEIGHT_OF_EACH = 900, 560
#: Pixels that the tables and the words of a comparison take, and more of them for each profile.
HEIGHT_OF_TABLE, HEIGHT_OF_ROW = 180, 110


class Embedded:
    """One profile, or several on one scale, aligned at their first dispatch, below what `compare` says.

    Shown in a notebook it is a sandboxed frame that carries the page; `to_html` writes the page to a file.
    """

    def __init__(self, *profiles: Any, height: int | None = None) -> None:
        if not profiles:
            raise ValueError("There is no profile to show.")
        self.profiles = profiles
        several = HEIGHT_OF_TABLE + (HEIGHT_OF_ROW + HEIGHT_OF_EACH) * len(profiles)
        self.height = height or (HEIGHT if len(profiles) == 1 else several)

    def __repr__(self) -> str:
        return f"<Explorer page of {page.title(*self.profiles)}>"

    def _repr_html_(self) -> str:
        return page.frame(*self.profiles, height=self.height)

    def to_html(self, path: str | Path) -> Path:
        """Write one self-contained page, which works from disk, and return where."""
        return page.write(self.profiles[0], path, *self.profiles[1:])
