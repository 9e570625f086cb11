"""The environments that others build from what stands here name only what there is."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from .pages import PROJECT

CONTAINER = PROJECT / ".devcontainer" / "devcontainer.json"
WORKSPACE = PROJECT / "binder" / "workspace.json"


@pytest.mark.parametrize("command", ["postCreateCommand", "postAttachCommand"])
def test_a_command_of_the_development_container_can_be_run(command):
    words = json.loads(CONTAINER.read_text())[command].split()
    assert words[0] == "make"
    subprocess.run([words[0], "--dry-run", *words[1:]], cwd=PROJECT, check=True, capture_output=True)


def test_the_development_container_has_one_openmp_thread_and_our_interpreter():
    container = json.loads(CONTAINER.read_text())
    assert container["containerEnv"]["OMP_NUM_THREADS"] == "1"
    interpreter = container["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"]
    assert interpreter == ".venv/bin/python"


def test_binder_opens_a_notebook_that_there_is_beside_the_sidebar():
    layout = json.loads(WORKSPACE.read_text())["data"]["layout-restorer:data"]
    (widget,) = layout["main"]["dock"]["widgets"]
    assert (PROJECT / widget.removeprefix("notebook:")).is_file()
    assert layout["left"]["current"] == "neuron-nbprof-captures"


def test_scripts_of_binder_can_be_executed_and_the_index_is_the_makefiles():
    for script in ("binder/postBuild", "binder/start"):
        assert os.access(PROJECT / script, os.X_OK)
    asked = subprocess.run(
        ["sed", "-n", "s/^TORCH_INDEX ?= *//p", "Makefile"], cwd=PROJECT, capture_output=True, text=True
    ).stdout.split()
    assert len(asked) == 1 and asked[0].startswith("https://")
    assert "://" not in "".join(path.read_text() for path in (PROJECT / "binder").iterdir())
