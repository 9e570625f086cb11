"""The built TypeScript, which the wheel carries in ``_frontend``."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent.parent / "_frontend"


def module(name: str) -> str:
    """Source of a built module: ``widget.js``, ``drawing.js`` or ``page.js``."""
    path = FOLDER / name
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: this installation was made without its frontend.")
    return path.read_text(encoding="utf-8")
