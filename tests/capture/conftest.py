"""A real IPython in a folder of its own, with the simulated device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from ..simulated import device as device
from ..simulated import one_core as one_core


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    monkeypatch.chdir(tmp_path)
    InteractiveShell.clear_instance()
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = InteractiveShell.instance(config=config)
    yield shell
    InteractiveShell.clear_instance()


class Ran(NamedTuple):
    """What a cell left behind."""

    result: Any
    error: BaseException | None
    output: str


@pytest.fixture
def run(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> Callable[[str], Ran]:
    """`run(cell)` in an IPython that has the extension loaded."""

    def run(cell: str) -> Ran:
        capsys.readouterr()
        result = shell.run_cell(cell, store_history=True)
        shown = capsys.readouterr()
        error = result.error_before_exec or result.error_in_exec
        return Ran(result.result, error, shown.out + shown.err)

    run("%load_ext neuron_nbprof")
    return run
