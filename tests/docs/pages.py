"""The pages of the documentation and their blocks of code."""

from __future__ import annotations

import re
from pathlib import Path

PROJECT = Path(__file__).parents[2]
#: Everything a reader meets first; what is on top of it may refer to what is below.
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]

_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    """The blocks of a page that are fenced as this language, in order."""
    return [code for found, code in _BLOCK.findall(page.read_text(encoding="utf-8")) if found == language]


def name(page: Path) -> str:
    return page.relative_to(PROJECT).as_posix()
