"""Several explorers in a notebook, one below the other on one scale."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import traitlets
from ipywidgets import widget_serialization

from . import page
from .answers import comparison
from .living import LivingView
from .widget import Explorer


class CompareView(LivingView):
    """Profiles one below the other on one scale, aligned at their first dispatch, below what `compare` says.

    ``explorers`` are the explorers of the profiles, those that `Profile.explore` returns: a selection in one
    of the timelines is the selection of its explorer.
    """

    compared = traitlets.Dict().tag(sync=True)
    explorers = traitlets.List(traitlets.Instance(Explorer)).tag(sync=True, **widget_serialization)

    def __init__(self, *profiles: Any) -> None:
        if not profiles:
            raise ValueError("There is no profile to show.")
        super().__init__(
            *profiles,
            kind="comparison",
            compared=comparison(profiles),
            explorers=[profile.explore() for profile in profiles],
        )

    def __repr__(self) -> str:
        return f"<Comparison of {page.title(*self._profiles)}>"

    def to_html(self, path: str | Path) -> Path:
        """Write one self-contained page, which works from disk, and return where."""
        return self.embed().to_html(path)
