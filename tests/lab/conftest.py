"""A real JupyterLab, with a home of its own and nothing that talks to the outside."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

import neuron_nbprof

from ..captures import framework_json, system_table, write_capture

EXAMPLES = Path(neuron_nbprof.__file__).parent / "examples"
PWN = "parent.document.title='pwned'"
HOSTILE = f'</script><script>{PWN}</script><img src=x onerror="{PWN}">'
TOKEN = "test"
START_SECONDS = 90


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab: its address and the folder that it serves."""

    address: str
    root: Path

    def url(self, notebook: str) -> str:
        return f"{self.address}/lab/tree/{notebook}?token={TOKEN}&reset"


@pytest.fixture(scope="package")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with running(sys.executable, tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("root")) as lab:
        yield lab


@contextmanager
def running(python: str | Path, home: Path, root: Path) -> Iterator[Lab]:
    """The JupyterLab of the environment of ``python``, with this home, serving ``root``."""
    port = free_port()
    command = [
        *(str(python), "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *(f"--port={port}", "--ServerApp.port_retries=0"),
        *(f"--ServerApp.root_dir={root}", f"--IdentityProvider.token={TOKEN}"),
        "--LabApp.expose_app_in_browser=True",
    ]
    log = home / "lab.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command, env=environment(home), cwd=root, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            address = f"http://127.0.0.1:{port}"
            wait_until_it_answers(process, address, log)
            yield Lab(address, root)
        finally:
            end(process)


@pytest.fixture(scope="package")
def root(lab: Lab) -> Path:
    """Captures as different people left them."""
    for name in ("rmsnorm_naive", "rmsnorm_fused"):
        shutil.copytree(EXAMPLES / name, lab.root / "taken" / f"{name}-20261129-101112")
    write_capture(lab.root / "elsewhere", framework_json(), system_table())
    files = lab.root / "files"
    files.mkdir()
    (lab.root / "plain").mkdir()
    for name in ("files/worker0.pt.trace.json", "files/step_trace.json", "plain/trace.json"):
        (lab.root / name).write_text(framework_json())
    for name in ("rank_trace.json.gz", "worker1.pt.trace.json.gz"):
        with gzip.open(files / name, "wt") as file:
            file.write(framework_json())
    (files / "neff_1_nc_0.ntff").write_bytes(bytes(256))
    hostile = framework_json().replace(json.dumps("aten::mul"), json.dumps(HOSTILE))
    (files / "hostile.pt.trace.json").write_text(hostile)
    (lab.root / "tables").mkdir()
    shutil.copy(next((lab.root / "elsewhere").rglob("*.parquet")), lab.root / "tables")
    return lab.root


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def environment(home: Path) -> dict[str, str]:
    """The environment of a user who has just come: no settings, no workspaces, and no news asked for."""
    settings = home / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text(
        '{"fetchNews": "false", "checkForUpdates": false}'
    )
    config = home / "config"
    config.mkdir()
    (config / "jupyter_notebook_config.json").write_text(
        '{"JupyterNotebookApp": {"expose_app_in_browser": true}}'
    )
    return os.environ | {
        "HOME": str(home),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_CONFIG_DIR": str(config),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
    }


def wait_until_it_answers(process: subprocess.Popen, address: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, f"JupyterLab ended:\n{log.read_text()}"
        try:
            urllib.request.urlopen(f"{address}/api?token={TOKEN}", timeout=2).close()
            return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"JupyterLab did not start in {START_SECONDS} s:\n{log.read_text()}")


def end(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
