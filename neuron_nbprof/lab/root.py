"""The folder that a server serves: nothing outside of it, and nothing hidden in it, is ever read."""

from __future__ import annotations

import os
from pathlib import Path


class OutsideError(Exception):
    """A path that the server does not serve; it does not tell whether there is such a file."""


class Root:
    def __init__(self, folder: str) -> None:
        self.folder = Path(folder).expanduser().resolve()

    def resolve(self, path: str) -> Path:
        """The existing file or folder that ``path``, relative and with ``/``, names below the root.

        Links are followed first, so that one that leads out of the root is refused; so is a folder that
        holds such a link, for reading a capture reads the files in it. Raises `OutsideError`.
        """
        asked = Path(path)
        if not path or "\0" in path or "\\" in path or asked.is_absolute() or _hidden(asked):
            raise OutsideError(path)
        try:
            target = (self.folder / asked).resolve(strict=True)
        except (OSError, RuntimeError):
            raise OutsideError(path) from None
        if not self.holds(target) or target == self.folder or not self._holds_what_it_links_to(target):
            raise OutsideError(path)
        return target

    def holds(self, target: Path) -> bool:
        """Whether ``target``, which is resolved, lies below the root and is not hidden."""
        return target.is_relative_to(self.folder) and not _hidden(target.relative_to(self.folder))

    def name(self, target: Path) -> str:
        """``target`` as the contents of the server name it."""
        return target.relative_to(self.folder).as_posix()

    def _holds_what_it_links_to(self, folder: Path) -> bool:
        for place, _, names in os.walk(folder):
            for name in names:
                path = Path(place, name)
                if path.is_symlink() and not self.holds(path.resolve()):
                    return False
        return True


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
