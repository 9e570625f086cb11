"""What is here for profiling, what is not, and what to do about it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from . import remedies
from .capture import conversion
from .explorer.server import python
from .simulator import TESTED_TORCH, is_installed

HBM_FOR_DEVICE_MODE = 5 << 30
_GB = 1 << 30

#: torch_neuronx by the PyTorch it is built for (Neuron 2.33).
NEURON_FOR_TORCH = {"2.13": "2.13.3", "2.14": "2.14.3"}
BEFORE_COMPILING = ("XLA_IR_DEBUG", "XLA_HLO_DEBUG", "NEURON_FRAMEWORK_DEBUG", "NKI_DEBUG_INFO")


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, what was found, and what to do where that is not as it should be."""

    what: str
    found: str
    do: str = ""

    @property
    def good(self) -> bool:
        return not self.do


@dataclass(frozen=True)
class System:
    """Where the doctor looks; the tests look elsewhere."""

    dev: Path = Path("/dev")
    proc: Path = Path("/proc")
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    here: Path = Path(".")


def examine(system: System | None = None, *, device_mode: bool = False) -> list[Finding]:
    """All findings, most basic first.  With `device_mode` also whether there is HBM enough for it."""
    system = system or System()
    findings = [
        Finding("Python", f"{sys.version.split()[0]} ({sys.executable})"),
        *_torch(),
        *_neuron(),
        *_tool(),
        *_devices(system),
        *_holders(system),
        *(_memory() if device_mode else ()),
        *_environment(system.environment),
        *_disk(system.here),
        *_jupyter(system),
    ]
    return findings


def text(findings: list[Finding]) -> str:
    """The findings as one page; what needs doing has its advice below it."""
    width = max(len(finding.what) for finding in findings)
    lines = []
    for finding in findings:
        lines.append(f"{'✓' if finding.good else '✗'} {finding.what:<{width}}  {finding.found}")
        if finding.do:
            lines.append(f"  {'':<{width}}  → {finding.do}")
    return "\n".join(lines)


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _torch() -> Iterator[Finding]:
    torch = _version("torch")
    if torch is None:
        yield Finding("torch", "not installed", "To record: pip install 'neuron-nbprof[torch]'.")
    elif not re.match(r"2\.1[34]\.", torch):
        yield Finding(
            "torch",
            torch,
            f"The simulated device wants torch {TESTED_TORCH}; the host device works.",
        )
    else:
        yield Finding("torch", torch)
    if is_installed():
        yield Finding("simulated device", "installed in this process: times are modelled, not measured")


def _neuron() -> Iterator[Finding]:
    neuron, torch = _version("torch-neuronx"), _version("torch")
    if neuron is None:
        if importlib.util.find_spec("torch_neuronx") is not None and not is_installed():
            yield Finding("torch_neuronx", "can be imported, but is not an installed distribution")
            return
        yield Finding(
            "torch_neuronx", "not installed",
            "On a Trainium: pip install torch-neuronx, of the family of your torch. Elsewhere: "
            "%neuronprof_device simulated.",
        )  # fmt: skip
        return
    if importlib.util.find_spec("torch_xla") is not None:
        yield Finding(
            "torch_neuronx", f"{neuron}, the older generation on torch_xla",
            "PyTorch's profiler does not see its work: open its captures, or install the native generation.",
        )  # fmt: skip
        return
    family = ".".join((torch or "").split(".")[:2])
    if not neuron.startswith(f"{family}."):
        fit = NEURON_FOR_TORCH.get(family)
        other = "Install torch 2.13 or 2.14 with the torch-neuronx of that family."
        do = f"pip install torch-neuronx=={fit}.*" if fit else other
        yield Finding("torch_neuronx", f"{neuron}, which is not built for torch {torch}", do)
    else:
        yield Finding("torch_neuronx", neuron)


def _tool() -> Iterator[Finding]:
    tool = conversion.tool()
    if tool:
        yield Finding("neuron-explorer", tool)
    else:
        yield Finding("neuron-explorer", "not found on PATH or in /opt/aws/neuron/bin", remedies.DEVICE_LANES)


def _devices(system: System) -> Iterator[Finding]:
    devices = sorted(system.dev.glob("neuron[0-9]*"))
    if not devices:
        yield Finding(
            "/dev/neuron*", "none",
            "Nothing to do unless this machine has a Trainium: then install aws-neuronx-dkms.",
        )  # fmt: skip
        return
    closed = [path for path in devices if not os.access(path, os.R_OK | os.W_OK)]
    if closed:
        yield Finding(
            "/dev/neuron*", f"{len(devices)}, of which {len(closed)} may not be opened by this user",
            f"sudo chmod a+rw {closed[0]} or join the group that owns it, then log in again.",
        )  # fmt: skip
    else:
        yield Finding("/dev/neuron*", f"{len(devices)}, all may be opened")


def _holders(system: System) -> Iterator[Finding]:
    """Processes that hold a device open: a core belongs to one process at a time."""
    for pid in sorted(int(path.name) for path in system.proc.glob("[0-9]*")):
        held = set()
        for entry in (system.proc / str(pid) / "fd").glob("*"):
            try:
                target = os.readlink(entry)
            except OSError:
                continue
            if re.fullmatch(r".*/neuron\d+", target):
                held.add(Path(target).name)
        if not held:
            continue
        cores = _environment_of(system, pid).get("NEURON_RT_VISIBLE_CORES")
        who = "this process" if pid == os.getpid() else f"pid {pid} ({_notebook_of(system, pid)})"
        found = f"{who} holds {', '.join(sorted(held))}" + (f", cores {cores}" if cores else "")
        if pid == os.getpid():
            yield Finding("cores", found)
        else:
            yield Finding(
                "cores", found, f"Shut that kernel down (or kill {pid}), or: {remedies.VISIBLE_CORES}"
            )


def _environment_of(system: System, pid: int) -> dict[str, str]:
    try:
        raw = (system.proc / str(pid) / "environ").read_bytes()
    except OSError:
        return {}
    pairs = (entry.partition("=") for entry in raw.decode(errors="replace").split("\0"))
    return {name: value for name, _, value in pairs if name}


def _notebook_of(system: System, pid: int) -> str:
    """The notebook of a kernel, else its command."""
    notebook = _environment_of(system, pid).get("JPY_SESSION_NAME")
    if notebook:
        return f"notebook {notebook}"
    try:
        words = (system.proc / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return "a process that has ended"
    return " ".join(filter(None, words))[:80]


def _memory() -> Iterator[Finding]:
    """Free HBM of each device, from neuron-ls and neuron-monitor's counters of this machine's driver."""
    tool = shutil.which("neuron-ls") or shutil.which("neuron-ls", path=str(conversion.USUAL_PLACE))
    by_hand = "The mode `device` needs about 5 GB free: look at neuron-top."
    if tool is None:
        yield Finding("HBM", "unknown: neuron-ls is not here", by_hand)
        return
    try:
        said = subprocess.run([tool, "-j"], capture_output=True, text=True, timeout=20).stdout
        devices = json.loads(said[said.index("[") :])  # log lines may come before the document
        facts = [(d["neuron_device"], d["memory_size"], d.get("memory_used", 0)) for d in devices]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
        yield Finding("HBM", "unknown: neuron-ls -j gave no table", by_hand)
        return
    for number, size, used in facts:
        free = size - used
        do = "" if free >= HBM_FOR_DEVICE_MODE else "The mode `device` reserves about 5 GB: free some."
        yield Finding("HBM", f"device {number}: {free / _GB:.1f} of {size / _GB:.1f} GB free", do)


def _environment(environment: Mapping[str, str]) -> Iterator[Finding]:
    if environment.get("NEURON_RT_INSPECT_ENABLE", "0") not in ("", "0"):
        yield Finding(
            "NEURON_RT_INSPECT_ENABLE", environment["NEURON_RT_INSPECT_ENABLE"], remedies.ONE_RECORDER,
        )  # fmt: skip
    lnc = {
        name: environment.get(name) for name in ("NEURON_LOGICAL_NC_CONFIG", "NEURON_RT_VIRTUAL_CORE_SIZE")
    }
    given = {value for value in lnc.values() if value}
    if given - {"1", "2"}:
        yield Finding("logical cores", str(lnc), "Physical cores per logical core are 1 or 2.")
    elif len(given) == 2:
        yield Finding("logical cores", str(lnc), "The two variables have to agree: unset one of them.")
    late = _runtime_is_initialised()
    for name in BEFORE_COMPILING:
        if name in environment:
            yield Finding(
                name, f"{environment[name]} (names source lines in device profiles; read when compiling)",
                "Programs compiled before keep what they have: clear the NEFF cache." if late else "",
            )  # fmt: skip
    if late and not is_installed():
        yield Finding(
            "runtime", "initialised in this process; NEURON_RT_* set from now on comes too late",
            "Restart the kernel after changing such a variable.",
        )  # fmt: skip


def _runtime_is_initialised() -> bool:
    torch = sys.modules.get("torch")
    check = getattr(getattr(torch, "neuron", None), "is_initialized", None)
    return bool(check and check())


def _disk(here: Path) -> Iterator[Finding]:
    free = shutil.disk_usage(here).free
    do = "" if free >= 2 * _GB else "Make room: captures with the mode `device` take gigabytes."
    yield Finding("disk", f"{free / _GB:.1f} GB free at {here.resolve()}", do)


PACKAGES = ("bokeh", "anywidget", "ipywidgets", "ipykernel", "jupyterlab", "jupyterlab_widgets")


def _jupyter(system: System) -> Iterator[Finding]:
    """A widget needs its Python half in the kernel's environment, its JavaScript half in the server's."""
    yield Finding("kernel", _listed({name: _version(name) for name in PACKAGES}))
    server = python(system.environment, system.proc)
    if server is None:
        yield Finding("server", "no Jupyter server started this process")
        return
    try:
        said = subprocess.run([server, "-c", _ASK], capture_output=True, text=True, timeout=20).stdout
        facts = json.loads(said)
    except (OSError, subprocess.SubprocessError, ValueError):
        yield Finding("server", f"{server}, which cannot be asked", "--embed shows a page without a widget.")
        return
    lacks = [name for name in ("anywidget", "jupyterlab_widgets") if not facts[name]]
    advice = f"Widgets stay empty: {server} -m pip install {' '.join(lacks)}; then reload the page."
    yield Finding("server", f"{server}: {_listed(facts)}", advice if lacks else "")
    for name, package in EXTENSIONS.items():
        yield _extension(name, package, Path(facts["prefix"]), server, system.environment)


EXTENSIONS = {"anywidget": "anywidget", "neuron-nbprof": "'neuron-nbprof[lab]'"}
"""Extensions of JupyterLab by the packages that bring them: the widget's half, and ours."""


def _extension(name: str, package: str, prefix: Path, server: str, environment: Mapping[str, str]) -> Finding:
    folder = prefix / "share/jupyter/labextensions" / name
    if not folder.is_dir():
        advice = f"{server} -m pip install --force-reinstall {package}; then reload the page."
        return Finding("extension", f"{folder} is missing", advice)
    home = Path(environment.get("JUPYTER_CONFIG_DIR") or Path.home() / ".jupyter")
    for config in (home, prefix / "etc/jupyter"):
        path = config / "labconfig/page_config.json"
        try:
            disabled = json.loads(path.read_text(encoding="utf-8"))["disabledExtensions"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if name in disabled and (not isinstance(disabled, dict) or disabled[name]):
            advice = f"jupyter labextension enable {name}; then reload the page."
            return Finding("extension", f"{name} is disabled in {path}", advice)
    return Finding("extension", f"{name} enabled ({folder})")


_ASK = f"""
import importlib.metadata as m, json, sys
facts = dict.fromkeys({PACKAGES!r})
for name in facts:
    try: facts[name] = m.version(name)
    except m.PackageNotFoundError: pass
print(json.dumps(facts | {{"prefix": sys.prefix}}))
"""


def _listed(versions: Mapping[str, str | None]) -> str:
    return ", ".join(f"{name} {versions[name] or 'missing'}" for name in PACKAGES)
