"""What Binder would start from binder/, as `make binder` has built it: opened, used, and weighed."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from ..lab import driving
from ..lab.conftest import TOKEN, Lab, end, free_port, wait_until_it_answers

PROJECT = Path(__file__).parents[2]
PLACE = PROJECT / "build" / "binder"
HOME = PLACE / "home"
WORKSPACE = json.loads((PROJECT / "binder" / "workspace.json").read_text())
FIRST = WORKSPACE["data"]["layout-restorer:data"]["main"]["dock"]["widgets"][0].partition(":")[2]
#: The first one, and one that holds more than any other: torch, its compiler, and tensors of 32 MB.
TUTORIALS = ("notebooks/00_click_a_chain.ipynb", "notebooks/05_rmsnorm_three_ways.ipynb")
#: Binder gives a visitor between one and two GB, counted as Jupyter's hubs count them.
MOST_BYTES = 2**30
SECONDS = 1000

PRINTED_BY = """async (code) => {
  const kernel = await jupyterapp.serviceManager.kernels.startNew({ name: "python3" });
  let text = "";
  const future = kernel.requestExecute({ code });
  future.onIOPub = ({ content }) => (text += content.text ?? "");
  await future.done;
  await kernel.shutdown();
  return text;
}"""


class Weight(threading.Thread):
    """The most that a process and all below it held at once, as the sum of their PSS.

    The proportional set size counts a page that several processes share, such as torch's libraries, once for
    all of them, as the memory limit of a container does.
    """

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.process = psutil.Process(process)
        self.most, self.parts = 0, {}
        self.ended = threading.Event()

    def __enter__(self) -> Weight:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.join()

    def run(self) -> None:
        while not self.ended.wait(0.25):
            parts: dict[str, int] = {}
            for process in [self.process, *self.process.children(recursive=True)]:
                try:
                    name = f"{process.pid} {' '.join(process.cmdline()[1:4])}"
                    parts[name] = process.memory_full_info().pss
                except psutil.Error:  # it has ended meanwhile
                    continue
            if sum(parts.values()) > self.most:
                self.most, self.parts = sum(parts.values()), parts


@dataclass(frozen=True)
class Served:
    lab: Lab
    process: int


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The server as Binder starts it: by the script `start`, in the visitor's home, nothing of ours set."""
    assert (PLACE / "seconds").exists(), "make binder builds it"
    port = free_port()
    command = [
        *("binder/start", "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}"),
        *("--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}"),
        "--LabApp.expose_app_in_browser=True",
    ]
    kept = {name: value for name, value in os.environ.items() if name in ("LANG", "TMPDIR", "TZ")}
    environment = kept | {"HOME": str(HOME), "PATH": f"{PLACE / 'env' / 'bin'}:/usr/bin:/bin"}
    log = tmp_path_factory.mktemp("binder") / "lab.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=HOME, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            wait_until_it_answers(process, f"http://127.0.0.1:{port}", log)
            yield Served(Lab(f"http://127.0.0.1:{port}", HOME), process.pid)
        finally:
            end(process)


def opened(page: Any, path: str) -> None:
    """Open a notebook and run all its cells; no cell may fail."""
    page.evaluate(
        "async (path) => void (await jupyterapp.commands.execute('docmanager:open', { path }))", path
    )
    page.wait_for_function(f"{driving.STATUS} === 'idle'", timeout=60 * SECONDS)
    page.evaluate(
        """() => {
          globalThis.done = false;
          jupyterapp.commands.execute("notebook:run-all-cells").finally(() => (globalThis.done = true));
        }"""
    )
    page.wait_for_function("globalThis.done", timeout=300 * SECONDS)
    outputs = page.evaluate(
        """() => jupyterapp.shell.currentWidget.content.widgets.flatMap(
          ({ model }) => model.type === "code" ? model.outputs.toJSON() : [])"""
    )
    assert outputs
    assert [output for output in outputs if output["output_type"] == "error"] == []


def test_it_opens_on_the_first_notebook_with_the_sidebar(page, server, shot):
    driving.visit(page, f"{server.lab.address}/lab?token={TOKEN}")
    page.wait_for_function(
        "(path) => jupyterapp.shell.currentWidget?.context?.path === path", arg=FIRST, timeout=60 * SECONDS
    )
    sidebar = page.get_by_role("region", name="Neuron Profiles")
    sidebar.wait_for()
    assert sidebar.is_visible()
    assert page.locator(".jp-Notebook >> visible=true").count() == 1
    shot(page, "binder")


def test_the_server_and_two_tutorials_fit(page, server, shot):
    driving.visit(page, f"{server.lab.address}/lab?token={TOKEN}")
    with Weight(server.process) as weight:
        for path in TUTORIALS:
            opened(page, path)
    shot(page, "binder-used")
    print(f"at most {weight.most / 1e6:,.0f} MB: {weight.parts}")
    # Closing a page leaves the kernel of its notebook, so there may be an idle one besides.
    assert len([name for name in weight.parts if "ipykernel" in name]) >= 2
    assert weight.most < MOST_BYTES, weight.parts


def test_kernels_have_one_openmp_thread(page, server):
    driving.visit(page, f"{server.lab.address}/lab?token={TOKEN}")
    code = "import torch; print(torch.get_num_threads())"
    assert page.evaluate(PRINTED_BY, code).strip() == "1"
