"""Device lanes of a real capture: neuron-explorer turns the raw files of a session into tables.

Nothing here knows what is in the raw files; the tool does, where it is installed.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

TOOL = "neuron-explorer"
USUAL_PLACE = Path("/opt/aws/neuron/bin")
LIMIT_SECONDS = 900.0
_EVENTS = "SystemProfileEvents"
_RAW = ("ntrace.pb", "*.ntff")
_COMPLAINT = re.compile(r"\b(dropped|warn(ing)?|error|failed|fatal)\b", re.IGNORECASE)
_MOST_NOTES = 20


@dataclass
class Conversion:
    """What came of it: whether the device lanes are there now, and what is to be said of them."""

    done: bool = False
    notes: list[str] = field(default_factory=list)


def tool() -> str | None:
    """neuron-explorer on the PATH or in its usual place."""
    return shutil.which(TOOL) or shutil.which(TOOL, path=str(USUAL_PLACE))


def convert(folder: Path, limit: float = LIMIT_SECONDS) -> Conversion:
    """Bring the device lanes of the sessions below `folder` that still lack them.

    Without the tool, or where it fails or takes longer than `limit` seconds, the capture stays as it is and
    a note says what is missing and the command that would bring it.
    """
    outcome = Conversion()
    for path in sorted(folder.rglob("*.ntff")):
        if not path.stat().st_size:
            outcome.notes.append(f"{path.name} is empty: nothing ran on that core while it was recorded.")
    for session in _raw_sessions(folder):
        _convert_session(session, folder, limit, outcome)
    return outcome


def command(tool: str, session: Path, out: Path) -> list[str]:
    """Ingest only: the plain `view` would leave a web server running."""
    return [
        tool, "view", "-d", str(session), "--ingest-only", "--output-format", "parquet",
        "--display-name", session.parent.name or session.name, "--data-path", str(out),
    ]  # fmt: skip


def _raw_sessions(folder: Path) -> list[Path]:
    places = {path.parent for pattern in _RAW for path in folder.rglob(pattern) if path.stat().st_size}
    return sorted(place for place in places if not any(place.glob(f"{_EVENTS}*.parquet")))


def _convert_session(session: Path, folder: Path, limit: float, outcome: Conversion) -> None:
    found = tool()
    by_hand = f"`neuron-nbprof convert {folder}`"
    if found is None:
        outcome.notes.append(
            "The device lanes are not complete: neuron-explorer (apt package aws-neuronx-tools) is not here; "
            f"where it is, run {by_hand}."
        )
        return
    with tempfile.TemporaryDirectory(dir=session, prefix=".neuron-explorer-") as scratch:
        code, said = _run(command(found, session, Path(scratch)), Path(scratch), limit)
        outcome.notes.extend(_complaints(said))
        tables = sorted(Path(scratch).rglob(f"{_EVENTS}*.parquet"))
        if tables and code == 0:
            for path in tables[0].parent.glob("SystemProfile*.parquet"):
                shutil.move(str(path), session / path.name)
            outcome.done = True
            return
    reason = f"took longer than {limit:.0f} s" if code is None else f"ended with code {code} and no tables"
    outcome.notes.append(
        f"The device lanes are not complete: neuron-explorer {reason}; to try again, run {by_hand}."
    )


def _run(arguments: list[str], folder: Path, limit: float) -> tuple[int | None, str]:
    """Exit code (None: the time was up) and everything the tool printed.  No process of it is left behind."""
    with open(folder / "log", "w+b") as log:
        process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, start_new_session=True
        )
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)  # also a web server that outlives the tool
            process.wait()
        log.seek(0)
        return code, log.read().decode(errors="replace")


def _complaints(said: str) -> list[str]:
    """Lines that a reader of the profile has to know, such as dropped events; each once."""
    lines = dict.fromkeys(line.strip() for line in said.splitlines() if _COMPLAINT.search(line))
    notes = [f"neuron-explorer: {line[:300]}" for line in lines][:_MOST_NOTES]
    if len(lines) > _MOST_NOTES:
        notes.append(f"neuron-explorer: and {len(lines) - _MOST_NOTES} more warnings")
    return notes
