"""Captures on disk and profiles in variables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError

from .. import open as open_profile
from ..capture import CAPTURE_FILE

if TYPE_CHECKING:
    import pandas as pd

    from ..profile import Profile


def is_profile(value: Any) -> bool:
    from ..profile import Profile

    return isinstance(value, Profile)


def path_and_name(words: list[str]) -> tuple[str, str | None]:
    if not 1 <= len(words) <= 2:
        raise UsageError("%neuronprof_open takes the path of a capture and, if wanted, a name for it.")
    return words[0], words[1] if len(words) == 2 else None


def profiles(words: list[str], user_ns: dict[str, Any]) -> list[Profile]:
    """Each word is a variable that holds a profile, or the path of a capture."""
    if len(words) < 2:
        raise UsageError("%neuronprof_compare takes two or more profiles, by variable or path.")
    return [_profile(word, user_ns) for word in words]


def _profile(word: str, user_ns: dict[str, Any]) -> Profile:
    if is_profile(user_ns.get(word)):
        return user_ns[word]
    if not Path(word).expanduser().exists():
        raise UsageError(f"{word} is neither a variable that holds a profile nor the path of a capture.")
    return open_profile(word)


def captures(folder: Path) -> pd.DataFrame:
    """The captures of `%%neuronprof` below a folder, newest first."""
    import pandas as pd

    rows = []
    for path in folder.glob(f"*/{CAPTURE_FILE}") if folder.is_dir() else ():
        try:
            facts = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(facts, dict):
            row = {key: str(facts.get(key) or "") for key in ("name", "created", "device_name", "error")}
            rows.append({**row, "path": str(path.parent)})
    rows.sort(key=lambda row: (row["created"], row["path"]), reverse=True)
    return pd.DataFrame(rows, columns=["name", "created", "device_name", "error", "path"])
