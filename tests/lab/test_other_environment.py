"""A kernel whose environment is not the server's, as usual on AWS: the server has no widgets and not us."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..captures import framework_json, system_table, write_capture
from .conftest import Lab, running
from .driving import SECONDS, notebook, run_cells, until, visit

KERNEL = "elsewhere"
OPEN = """
%load_ext neuron_nbprof
%neuronprof_open profile_output naive
"""
EMBED = "import torch\ntorch.set_num_threads(1)", "%%neuronprof again --once --embed\ntorch.ones(4) + 1"
PICTURES = "[data-nbp-picture]"
VIEWS = "[...document.querySelectorAll('section.nbp')].map((root) => root.explorer)"


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The environment of the server: JupyterLab and nothing else."""
    place = tmp_path_factory.mktemp("server")
    venv.create(place, with_pip=True)
    pip = [str(place / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    installed = subprocess.run([*pip, "install", "jupyterlab>=4.2,<5"], capture_output=True, text=True)
    if installed.returncode:
        # As for the browser: where nothing may be skipped, a missing network is a failure.
        (pytest.fail if os.environ.get("NBPROF_REQUIRE_BROWSER") else pytest.skip)(installed.stderr)
    return place


@pytest.fixture(scope="module")
def server(bare: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab of the bare environment, with a kernel of the environment that the tests run in."""
    home, root = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("root")
    spec = home / "data" / "kernels" / KERNEL / "kernel.json"
    spec.parent.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec.write_text(json.dumps({"argv": argv, "display_name": KERNEL, "language": "python"}))
    write_capture(root, framework_json(), system_table())
    with running(bare / "bin" / "python", home, root) as lab:
        yield lab


@pytest.mark.slow
def test_the_picture_the_line_and_the_page_instead(page: Any, server: Lab, bare: Path, shot: Any) -> None:
    compare = "import neuron_nbprof\nneuron_nbprof.compare_view(naive, naive)"
    cells = (OPEN, *EMBED, "naive.explore()", compare)
    visit(page, notebook(server, "elsewhere.ipynb", *cells, kernel=KERNEL))
    run_cells(page, 0)
    picture = page.locator(PICTURES)
    picture.wait_for(timeout=60 * SECONDS)
    page.wait_for_function(f"document.querySelector('{PICTURES} img').naturalWidth > 100")
    line = picture.locator("figcaption").inner_text()
    assert f"the environment of the Jupyter server, {bare}, lacks jupyterlab_widgets and anywidget" in line
    assert "%%neuronprof --embed" in line and picture.locator("img").is_visible()
    assert page.locator(".jp-OutputArea table", has_text="aten::mean").first.is_visible()
    assert page.locator("section.nbp, iframe").count() == 0
    shot(page, "elsewhere-picture")

    # The page instead, and from then on also where nobody asks for it again.
    run_cells(page, 1)
    for number, explorers in ((2, 1), (3, 1), (4, 2)):
        run_cells(page, number)
        cell = page.locator(".jp-CodeCell").nth(number)
        cell.locator("iframe").scroll_into_view_if_needed(timeout=60 * SECONDS)
        frame = cell.locator("iframe").element_handle().content_frame()
        until(frame, f"{VIEWS}.length === {explorers} && {VIEWS}.every((one) => one.drawn.frames)")
        assert cell.locator(PICTURES).count() == 0
    shot(page, "elsewhere-page")
    assert [problem for problem in page.problems if problem.startswith("page:")] == []
