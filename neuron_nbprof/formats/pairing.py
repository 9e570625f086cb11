"""Which compiled program (NEFF) belongs to which device trace (NTFF), and to which executions.

The names follow the way a capture was taken: a number that both share, one device trace per core for all
programs of a session, or two files that merely lie side by side. That the counts differ, that a device trace
is empty or a program is missing is normal and told as such.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ReadError
from ..trace import Lane, Trace
from ..trace.categories import NEURON_HARDWARE, NEURON_STREAM
from . import ntff
from .frames import column
from .json_text import whole
from .naming import Named, neff_name, ntff_name, process_of

if TYPE_CHECKING:
    import pandas as pd

MAX_FILES = 200_000
EXECUTION = "nc_exec_running"
RAW_FILES = frozenset({"ntrace.pb", "trace_info.pb", "cpu_util.pb", "host_mem.pb"})

COLUMNS = (
    "session", "instance", "process", "neff", "ntff", "matched_by", "model_id", "cores", "executions",
    "events", "neff_bytes", "ntff_bytes", "state",
)  # fmt: skip

NO_NEFF = (
    "no program beside it: it stayed in the compiler cache (/tmp/neff_cache by default), set neff_cache_dir"
)
NO_NTFF = "no device trace of its own: none was taken, or not of this program"
SESSION_MODE = "one device trace per core covers all programs of the session"
ONLY_RAW = "raw system trace only: DEVICE was not among the profile modes"
NO_MODEL = "executions that do not name their model"
NO_FRAMEWORK = "no framework trace: taken by environment variables, by JAX, or without the export handler"
NOT_EXECUTED = "not executed in this trace"
EMPTY_FOLDER = "empty: profiling was not on, or the operators ran on the CPU"


@dataclass(frozen=True)
class _File:
    path: Path
    session: str
    instance: str
    process: int
    named: Named
    size: int


@dataclass
class _Model:
    """One program as the trace knows it: hardware rows and the logical cores they ran on."""

    events: list[int] = field(default_factory=list)
    cores: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)


Models = dict[tuple[int, int], _Model]


def pairs(folder: str | os.PathLike[str], trace: Trace | None = None) -> pd.DataFrame:
    """One row per program of ``folder``, then device traces and executed models without one, then folders.

    ``matched_by`` is the evidence that joins program and device trace; ``model_id`` (exact, Int64), ``cores``
    (logical), ``executions`` (hardware rows, one per physical core) and ``events`` (their ids in ``trace``)
    are filled when a trace is given; ``state`` says in words what is there and what is missing, which is
    seldom an error. Raises ReadError when there is no such folder.
    """
    import pandas as pd

    root = Path(folder)
    if not root.is_dir():
        raise ReadError(f"There is no folder {root}; name the folder that holds the capture.")
    neffs, ntffs, others = _files(root)
    models = _models(trace) if trace is not None else None
    rows = list(_rows(neffs, ntffs, models))
    rows += _folder_states(neffs, ntffs, others)
    return pd.DataFrame({name: column([row.get(name) for row in rows]) for name in COLUMNS})


def _files(root: Path) -> tuple[list[_File], list[_File], dict[str, list[str]]]:
    """Programs, device traces, and the other files' names by folder."""
    neffs: list[_File] = []
    ntffs: list[_File] = []
    others: dict[str, list[str]] = {}
    seen = 0
    for place, folders, names in os.walk(root):
        folders.sort()
        seen += len(names)
        if seen > MAX_FILES:
            raise ReadError(f"{root} holds more than {MAX_FILES:,} files; name the capture folder itself.")
        here = Path(place)
        session = here.relative_to(root).as_posix()
        if not folders or names:
            others[session] = [name for name in names if not neff_name(name) and not ntff_name(name)]
        for name in sorted(names):
            for found, of_kind in ((neff_name(name), neffs), (ntff_name(name), ntffs)):
                if found is not None:
                    of_kind.append(_File(here / name, session, *process_of(here), found, _size(here / name)))
    return neffs, ntffs, others


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _models(trace: Trace) -> Models:
    """Executed programs by process and model id (0 for a process that the trace does not name)."""
    found: Models = defaultdict(_Model)
    for row in trace.rows_in(NEURON_HARDWARE).tolist():
        if trace.name_of(row) != EXECUTION:
            continue
        args = trace.args(row)
        track = trace.track_of(row)
        model = found[whole(track.process) or 0, whole(args.get("model_id")) or 0]
        model.events.append(int(trace.id[row]))
        model.cores.add(track.unit.partition(":")[0])
        model.names.add(Path(str(args.get("model_name") or "").replace("\\", "/")).name)
    model_of = {event: model for (_, number), model in found.items() if number for event in model.events}
    for row in trace.rows_in(NEURON_STREAM).tolist():
        key = trace.args(row).get("neff_cache_key")
        if not isinstance(key, str) or not key:
            continue
        # the program's key in the compiler cache is its file's name; the quotes are part of the text
        for event in (int(trace.id[below]) for below in _hardware_of(trace, row)):
            if event in model_of:
                model_of[event].names.add(key.strip('"') + ".neff")
    return dict(found)


def _hardware_of(trace: Trace, row: int) -> list[int]:
    """Hardware rows of the submission that a stream row belongs to, by its flow edges."""
    links = trace.links
    above = [int(links.sources[edge]) for edge in links.incoming(row) if not links.is_owner(edge)]
    found = list(dict.fromkeys([row, *above]))
    seen = set(found)
    for one in found:
        for edge in links.outgoing(one):
            target = int(links.targets[edge])
            if not links.is_owner(edge) and target not in seen:
                seen.add(target)
                found.append(target)
    return [one for one in found if trace.lane[one] == Lane.HARDWARE]


def _rows(neffs: list[_File], ntffs: list[_File], models: Models | None) -> Iterator[dict[str, Any]]:
    matched: set[Path] = set()
    told: set[tuple[int, int]] = set()
    by_folder: dict[Path, list[_File]] = defaultdict(list)
    for one in neffs:
        by_folder[one.path.parent].append(one)
    for neff in neffs:
        key, how = _model_of(neff, models or {})
        model = (models or {}).get(key) if key else None
        found, evidence = _ntffs_of(neff, ntffs, model, len(by_folder[neff.path.parent]) == 1)
        matched |= {one.path for one in found}
        told |= {key} if key else set()
        yield {
            **_place(neff),
            "neff": neff.path.name,
            "ntff": ", ".join(_seen_from(neff, one) for one in found) or None,
            "matched_by": ", ".join(part for part in (evidence, how) if part) or None,
            **_executed(key, model, neff),
            "neff_bytes": neff.size,
            "ntff_bytes": sum(one.size for one in found) if found else None,
            "state": _state(neff, found, evidence, model, models is not None),
        }
    for one in ntffs:
        if one.path not in matched:
            state = ntff.state(one.size)
            yield {
                **_place(one),
                "ntff": one.path.name,
                "model_id": one.named.number,
                "cores": None if one.named.core is None else str(one.named.core),
                "ntff_bytes": one.size,
                "state": state if one.size == 0 else f"{state}; {NO_NEFF}",
            }
    for key, model in (models or {}).items():
        if key not in told:
            state = NO_NEFF if key[1] else NO_MODEL
            yield {"process": key[0] or None, **_executed(key, model, None), "state": state}


def _seen_from(neff: _File, other: _File) -> str:
    """The name of a file, with its folder where that is another one."""
    return other.path.name if other.session == neff.session else f"{other.session}/{other.path.name}"


def _place(file: _File) -> dict[str, Any]:
    return {
        "session": file.session,
        "instance": file.instance or None,
        "process": file.process or None,
    }


def _executed(key: tuple[int, int] | None, model: _Model | None, neff: _File | None) -> dict[str, Any]:
    """What the trace says about a program; without executions, what the file's name says."""
    if model is not None and key is not None:
        return {
            "model_id": key[1] or None,
            "cores": ", ".join(sorted(model.cores)) or None,
            "executions": len(model.events),
            "events": model.events,
        }
    named = neff.named if neff else Named("other")
    return {
        "model_id": named.number if named.variant == "number" else None,
        "cores": None if named.core is None else str(named.core),
    }


def _model_of(neff: _File, models: Models) -> tuple[tuple[int, int] | None, str]:
    """The executed model of a program and the evidence: its number, or its name in the events.

    A name that several models bear (compilers call every program ``file.neff``) tells nothing.
    """
    own = [key for key in models if not key[0] or not neff.process or key[0] == neff.process]
    if neff.named.number is not None:
        for key in own:
            if key[1] == neff.named.number:
                return key, "model_id"
    named = [key for key in own if key[1] and neff.path.name in models[key].names]
    return (named[0], "model name") if len(named) == 1 else (None, "")


def _ntffs_of(neff: _File, ntffs: list[_File], model: _Model | None, alone: bool) -> tuple[list[_File], str]:
    """The device traces of a program and the evidence, best first."""
    near = [one for one in ntffs if not one.process or not neff.process or one.process == neff.process]
    if neff.named.variant == "number":
        same = [one for one in near if one.named.variant == "number" and one.named.id == neff.named.id]
        same = _here(neff, same)
        cores = [one for one in same if one.named.core == neff.named.core or neff.named.core is None]
        if same:
            return cores or same, "number in both names"
    session = [one for one in _here(neff, near) if one.named.variant == "session"]
    if session:
        wanted = model.cores if model else set()
        if not wanted and neff.named.core is not None:
            wanted = {str(neff.named.core)}
        return [one for one in session if not wanted or str(one.named.core) in wanted], "session mode"
    beside = [
        one
        for one in near
        if one.path.parent == neff.path.parent and one.named.variant in ("capture", "other")
    ]
    stem = [one for one in beside if one.path.stem == neff.path.stem]
    if stem or (alone and beside):
        return stem or beside, "same name" if stem else "only program in its folder"
    return [], ""


def _here(neff: _File, found: Iterable[_File]) -> list[_File]:
    """Those in the program's own folder, where there are any: a process may have several sessions."""
    found = list(found)
    return [one for one in found if one.session == neff.session] or found


def _state(neff: _File, found: list[_File], evidence: str, model: _Model | None, traced: bool) -> str:
    parts = []
    if neff.size == 0:
        parts.append("the program's file is empty (0 bytes)")
    if not found:
        parts.append(NO_NTFF)
    elif evidence == "session mode":
        parts.append(SESSION_MODE)
    empty = [one for one in found if one.size == 0]
    if empty and len(empty) == len(found):
        parts.append(f"device trace {ntff.state(0)}")
    elif empty:
        parts.append(f"{len(empty)} of {len(found)} device traces are empty")
    if traced and model is None:
        parts.append(NOT_EXECUTED)
    return "; ".join(parts) or "paired"


def _folder_states(
    neffs: list[_File], ntffs: list[_File], others: dict[str, list[str]]
) -> Iterator[dict[str, Any]]:
    """What the folders of a capture lack as a whole, and why that is normal."""
    traced = {one.session for one in ntffs}
    held = traced | {one.session for one in neffs}
    for session, names in others.items():
        raw = bool(RAW_FILES & set(names))
        states = []
        if raw and session not in held:
            states.append(ONLY_RAW)
        if (raw or session in traced) and not any(name.endswith((".json", ".json.gz")) for name in names):
            states.append(NO_FRAMEWORK)
        if not names and session not in held:
            states.append(EMPTY_FOLDER)
        if states:
            yield {"session": session, "state": "; ".join(states)}
