"""What the runtime and the tools call the files and folders of a capture.

The names come from the documentation of the Neuron SDK and of vLLM on Neuron, and from public listings; the
number in a name may need 64 bits, so it stays text here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

#: One folder per process, that is per rank; ``-`` is written by some builds of the runtime.
PROCESS_FOLDER = re.compile(r"^(?P<instance>.+?)[_-]pid_(?P<pid>\d+)$")

#: Compiled programs, by the way they are named.
NEFF_NAMES = (
    ("number", re.compile(r"^neff_(?P<id>[0-9a-fA-F]+)(?:_vnc_(?P<core>\d+))?\.neff$")),
    ("graph", re.compile(r"^graph_(?P<id>[^.]+)\.neff$")),
    ("other", re.compile(r"^(?P<id>.+)\.neff$", re.DOTALL)),
)

#: Device traces: one per program, one per core for a whole session, or one that the command line took.
NTFF_NAMES = (
    ("number", re.compile(r"^(?P<id>\d+)_instid_(?P<load>\d+)_vnc_(?P<core>\d+)\.ntff$")),
    ("number", re.compile(r"^(?P<id>\d+)_vnc_(?P<core>\d+)\.ntff$")),
    ("session", re.compile(r"^profile_nc_(?P<core>\d+)_session_(?P<session>\d+)\.ntff$")),
    ("capture", re.compile(r"^profile(?:_rank_(?P<rank>\d+))?(?:_exec_(?P<execution>\d+))?\.ntff$")),
    ("number", re.compile(
        r"^model_(?P<id>\d+)_pid_(?P<pid>\d+)_vnc_(?P<core>\d+)_inst_(?P<load>\d+?)(?P<time>\d{8}_\d{6})\.ntff$"
    )),
    ("other", re.compile(r"^(?P<id>.+)\.ntff$", re.DOTALL)),
)  # fmt: skip


@dataclass(frozen=True)
class Named:
    """What a file name tells: the naming variant, its number or hash as text, its logical core."""

    variant: str
    id: str = ""
    core: int | None = None
    session: int | None = None
    pid: int | None = None

    @property
    def number(self) -> int | None:
        """The number in the name, exact; None where a hash stands in its place."""
        return int(self.id) if self.id.isdecimal() else None


def neff_name(name: str) -> Named | None:
    """What the name of a NEFF tells, None for another file."""
    return _named(name, NEFF_NAMES)


def ntff_name(name: str) -> Named | None:
    """What the name of an NTFF tells, None for another file."""
    return _named(name, NTFF_NAMES)


def _named(name: str, known: tuple[tuple[str, re.Pattern[str]], ...]) -> Named | None:
    for variant, pattern in known:
        if found := pattern.match(name):
            parts = {key: text for key, text in found.groupdict().items() if text is not None}
            core, session, pid = (
                int(parts[key]) if key in parts else None for key in ("core", "session", "pid")
            )
            return Named(variant, parts.get("id", ""), core, session, pid)
    return None


def process_of(path: Path | None) -> tuple[str, int]:
    """Instance and process id by the nearest folder that is named after a process; ``("", 0)`` for none."""
    if path is not None:
        for place in (path, *path.absolute().parents):
            if found := PROCESS_FOLDER.match(place.name):
                return found["instance"], int(found["pid"])
    return "", 0
