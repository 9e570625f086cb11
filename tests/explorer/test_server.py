"""What is found out about the environment of the server, from within a kernel in another one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from neuron_nbprof.explorer import server
from neuron_nbprof.explorer.still import line


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No labextensions but those below the folder that is returned and of this environment."""
    monkeypatch.setattr("jupyter_core.paths.SYSTEM_JUPYTER_PATH", [])
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "more"))
    return tmp_path


def extension(place: Path, name: str) -> None:
    (place / "labextensions" / name).mkdir(parents=True)


def test_the_environment_is_that_of_the_process_which_started_the_kernel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = [sys.executable, "-c", "print(flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # before it runs, its command line may be empty
        monkeypatch.setenv("JPY_PARENT_PID", str(process.pid))
        assert server.environment() == Path(sys.prefix)
        process.communicate(b"\n")
    assert server.environment() is None, "it has ended"


@pytest.mark.parametrize("pid", ["", "none", "-1"])
def test_where_no_server_is_known_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch, pid: str) -> None:
    monkeypatch.setenv("JPY_PARENT_PID", pid)
    assert server.environment() is None
    assert "jupyterlab_widgets and anywidget in the environment of the Jupyter server" in line()


def test_it_lacks_what_is_in_none_of_the_places_where_the_server_looks(quiet: Path) -> None:
    elsewhere = quiet / "server"
    assert server.lacks(elsewhere) == ["jupyterlab_widgets", "anywidget"]
    extension(elsewhere / "share" / "jupyter", "@jupyter-widgets/jupyterlab-manager")
    assert server.lacks(elsewhere) == ["anywidget"]
    extension(quiet / "more", "anywidget")
    assert server.lacks(elsewhere) == []


def test_our_own_environment_lacks_nothing(quiet: Path) -> None:
    assert server.lacks(Path(sys.prefix)) == []


def test_the_line_names_what_is_missing_where_and_the_way_out(
    quiet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "environment", lambda: quiet / "<server>")
    assert "\n" not in line()
    assert "&lt;server&gt;</code>, lacks jupyterlab_widgets and anywidget." in line()
    assert "--embed" in line()
