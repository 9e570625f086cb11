"""The magic in a real kernel, over the protocol of notebooks: interrupts, Run All, what is displayed."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jupyter_client import MultiKernelManager

TIMEOUT = 30
OURS = ("runner.py", "shell.py", "run.py", "cell.py")
SETUP = """
%load_ext neuron_nbprof
%neuronprof_device simulated
import time, torch
torch.set_num_threads(1)
x = torch.ones(8, 8, device="neuron")
runs = 0
"""


class Reply(NamedTuple):
    """How the kernel answered one cell: its status, and the messages it published."""

    content: dict[str, Any]
    published: list[tuple[str, dict[str, Any]]]

    def text(self, name: str) -> str:
        return "".join(
            content["text"]
            for kind, content in self.published
            if kind == "stream" and content["name"] == name
        )

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [content for published, content in self.published if published == kind]


class Kernel:
    """A running kernel that cells can be sent to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        kernels = MultiKernelManager()
        self.id = kernels.start_kernel(cwd=str(folder))
        self.manager = kernels.get_kernel(self.id)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=TIMEOUT)

    def send(self, cell: str) -> str:
        return self.client.execute(cell)

    def run(self, cell: str) -> Reply:
        return self.wait(self.send(cell))

    def wait(self, request: str) -> Reply:
        published: list[tuple[str, dict[str, Any]]] = []
        while (message := self.message(request))[0] != "idle":
            published.append(message)
        while (reply := self.client.get_shell_msg(timeout=TIMEOUT))["parent_header"]["msg_id"] != request:
            pass
        return Reply(reply["content"], published)

    def message(self, request: str) -> tuple[str, dict[str, Any]]:
        """The next message that a cell published; its end is ``idle``."""
        while (message := self.client.get_iopub_msg(timeout=TIMEOUT))["parent_header"].get(
            "msg_id"
        ) != request:
            pass
        kind = message["content"].get("execution_state") if message["msg_type"] == "status" else None
        return kind or message["msg_type"], message["content"]

    def stop(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    kernel = Kernel(tmp_path_factory.mktemp("notebook"))
    assert kernel.run(SETUP).content["status"] == "ok"
    yield kernel
    kernel.stop()


def test_a_profile_is_displayed_once_and_the_value_once(kernel: Kernel) -> None:
    reply = kernel.run("%%neuronprof prof\n(x * x).shape")
    assert reply.content["status"] == "ok"
    (value,) = reply.of_type("execute_result")
    assert value["data"]["text/plain"] == "torch.Size([8, 8])"
    shown = reply.of_type("display_data")
    widgets = [content for content in shown if "application/vnd.jupyter.widget-view+json" in content["data"]]
    tables = [content for content in shown if "aten::mul" in content["data"].get("text/html", "")]
    assert len(widgets) == len(tables) == 1
    (progress,) = [content for content in shown if content["data"].get("text/plain", "")[:10] == "neuronprof"]
    assert progress["data"]["text/plain"] == "neuronprof prof: run 1 of 4, unrecorded"
    renewed = [content["data"]["text/plain"] for content in reply.of_type("update_display_data")]
    assert renewed[-1].startswith("neuronprof prof: run 4 of 4, recorded")
    assert reply.text("stdout").count("The cell ran 4 times") == 1
    assert not reply.text("stderr")


def explorers(reply: Reply) -> tuple[int, list[str]]:
    """How many widgets a cell shows, and the frames that it shows."""
    shown = [content["data"] for content in reply.of_type("display_data")]
    widgets = [data for data in shown if "application/vnd.jupyter.widget-view+json" in data]
    return len(widgets), [data["text/html"] for data in shown if "<iframe" in data.get("text/html", "")]


def test_an_embedded_page_stands_in_the_output_without_a_widget(kernel: Kernel) -> None:
    widgets, (frame,) = explorers(kernel.run("%%neuronprof embedded --once --embed\nx * x"))
    assert not widgets
    assert frame.startswith(
        '<iframe title="Explorer of SIMULATED · embedded" sandbox="allow-scripts" srcdoc='
    )
    same = kernel.run("embedded.explore().embed()").of_type("execute_result")[0]["data"]["text/html"]
    without_nonce = [re.sub(r"nonce(-|=&quot;)[\w-]+", "nonce", html) for html in (frame, same)]
    assert without_nonce[0] == without_nonce[1]  # it is one thing, by either name
    # The choice holds, also for what no magic shows, until it is taken back.
    for source in ("%%neuronprof embedded --once\nx * x", "display(embedded.explore())"):
        widgets, frames = explorers(kernel.run(source))
        assert (widgets, len(frames)) == (0, 1)
    for source in ("%%neuronprof embedded --once --no-embed\nx * x", "display(embedded.explore())"):
        widgets, frames = explorers(kernel.run(source))
        assert (widgets, len(frames)) == (1, 0)
    kernel.run("%config NeuronMagics.embed = None")


@pytest.mark.parametrize(
    ("setup", "embeds"),
    [
        ("", False),
        ("os.environ['VSCODE_PID'] = '1'", True),
        ("os.environ['VSCODE_CWD'] = '/'", True),
        ("os.environ['VSCODE_PID'], os.environ['JPY_SESSION_NAME'] = '1', 'a.ipynb'", False),
        ("__vsc_ipynb_file__, os.environ['JPY_SESSION_NAME'] = '/a.ipynb', 'a.ipynb'", True),
    ],
)
def test_vs_code_gets_a_page_unless_it_is_told_otherwise(setup: str, embeds: bool, kernel: Kernel) -> None:
    kernel.run(f"import os\n{setup}")
    try:
        widgets, frames = explorers(kernel.run("%%neuronprof vscode --once\nx * x"))
        assert (widgets, len(frames)) == ((0, 1) if embeds else (1, 0))
        widgets, frames = explorers(kernel.run("%%neuronprof vscode --once --no-embed\nx * x"))
        assert (widgets, len(frames)) == (1, 0)
        kernel.run("%config NeuronMagics.embed = True")
        assert len(explorers(kernel.run("%%neuronprof vscode --once\nx * x"))[1]) == 1
    finally:
        kernel.run(
            "%config NeuronMagics.embed = None\n"
            "for name in ('VSCODE_PID', 'VSCODE_CWD', 'JPY_SESSION_NAME'): os.environ.pop(name, None)\n"
            "globals().pop('__vsc_ipynb_file__', None)"
        )


def test_a_setting_embeds_every_explorer_of_the_session(kernel: Kernel) -> None:
    kernel.run("%config NeuronMagics.embed = True")
    recorded = kernel.run("%%neuronprof everywhere --once\nx * x")
    opened = kernel.run("everywhere.explore()")
    kernel.run("%config NeuronMagics.embed = False")
    for reply in (recorded, opened):
        shown = [content["data"] for content in reply.of_type("display_data")]
        assert not [data for data in shown if "application/vnd.jupyter.widget-view+json" in data]
        (page,) = [data["text/html"] for data in shown if "<iframe" in data.get("text/html", "")]
        assert 'sandbox="allow-scripts' in page and "allow-same-origin" not in page
    living = kernel.run("everywhere.explore()").of_type("display_data")
    assert "application/vnd.jupyter.widget-view+json" in living[-1]["data"]


def test_the_capture_names_the_kernel(kernel: Kernel) -> None:
    kernel.run("%%neuronprof named\n1")
    (told,) = kernel.folder.glob("neuron_profiles/named-*/capture.json")
    assert json.loads(told.read_text())["kernel_id"] == kernel.id


@pytest.mark.parametrize("phase", ["run 1 of 4", "run 4 of 4"])
def test_a_real_interrupt_stops_run_all_and_leaves_no_profiler_on(kernel: Kernel, phase: str) -> None:
    number = int(phase.split()[1])
    kernel.run("runs = 0")
    cell = f"%%neuronprof stopped\nruns += 1\ny = x + 1\nif runs == {number}:\n    time.sleep(60)"
    request, later = kernel.send(cell), kernel.send("later = True")
    said = ""
    while phase not in said:
        content = kernel.message(request)[1]
        said += content.get("text", "") + content.get("data", {}).get("text/plain", "")
    time.sleep(0.3)  # the run has been announced; let it reach its sleep
    kernel.manager.interrupt_kernel()
    reply = kernel.wait(request)
    assert (reply.content["status"], reply.content["ename"]) == ("error", "KeyboardInterrupt")
    (error,) = reply.of_type("error")
    shown = "\n".join(error["traceback"])
    assert "sleep" in shown and not [name for name in OURS if name in shown]
    assert kernel.wait(later).content["status"] == "aborted"
    after = kernel.run(
        "(runs, 'stopped' in globals(), 'later' in globals(), torch.autograd._profiler_enabled())"
    )
    kept = number == 4  # what the recorded run recorded until the interrupt
    assert after.of_type("execute_result")[0]["data"]["text/plain"] == f"({number}, {kept}, False, False)"
    assert ("The recorded run did not end" in reply.text("stdout")) == kept
    kernel.run("globals().pop('stopped', None)")
    assert kernel.run("%%neuronprof again\nx + 1;").content["status"] == "ok"


def test_an_error_of_ours_is_one_sentence_and_stops_run_all(kernel: Kernel) -> None:
    kernel.send("import time; time.sleep(1)")  # both cells below are queued before the first one fails
    request, later = kernel.send("%%neuronprof x\n1"), kernel.send("later = True")
    reply = kernel.wait(request)
    assert reply.content["status"] == "error"
    assert "x is already bound to a Tensor" in reply.text("stderr") + str(reply.of_type("error"))
    assert kernel.wait(later).content["status"] == "aborted"
