"""What README and documentation tell to do can be done: each page's blocks run as cells of one notebook."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import click
import nbformat
import pytest
from nbclient import NotebookClient

import neuron_nbprof
from neuron_nbprof.cli import verbs

from .pages import PAGES, PROJECT, blocks, name

EXAMPLES = Path(neuron_nbprof.__file__).parent / "examples"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=name)
def test_the_python_of_a_page_runs_from_top_to_bottom(page, tmp_path):
    shutil.copytree(EXAMPLES / "rmsnorm_naive", tmp_path / "profile_output")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(b) for b in blocks(page, "python")])
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()


def test_the_readme_shows_the_explorer_within_ten_lines():
    """A number of the README's promise: from nothing to a click in ten lines of code."""
    code = "".join(blocks(PROJECT / "README.md", "python"))
    assert len([line for line in code.splitlines() if line.strip()]) <= 10


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_a_page_tells_to_make_can_be_made(page):
    goals = set(re.findall(r"^make ([\w.-]+)|`make ([\w.-]+)", page.read_text(), re.MULTILINE))
    for goal in filter(None, (first or second for first, second in goals)):
        subprocess.run(["make", "--dry-run", goal], cwd=PROJECT, check=True, capture_output=True)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_verbs_and_options_of_the_command_exist(page):
    for verb, rest in re.findall(r"neuron-nbprof (\w+)([^`\n]*)", page.read_text()):
        command = verbs.get_command(click.Context(verbs), verb)
        assert command is not None, verb
        known = {option for parameter in command.params for option in parameter.opts}
        assert set(re.findall(r"(?<!\S)--[\w-]+", rest)) <= known


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_magics_and_their_options_exist(page):
    from neuron_nbprof.magics import NeuronMagics

    text = page.read_text()
    assert set(re.findall(r"%(neuronprof\w*)", text)) <= set(NeuronMagics.magics["line"])
    assert set(re.findall(r"NeuronMagics\.(\w+)", text)) <= set(NeuronMagics.class_traits(config=True))
    options = NeuronMagics.neuronprof.parser._option_string_actions
    assert set(re.findall(r"^%%neuronprof.*?(--[\w-]+)", text, re.MULTILINE)) <= set(options)


@pytest.mark.parametrize("page", [PROJECT / "README.md", *PROJECT.glob("*.md")], ids=name)
def test_links_of_the_front_pages_lead_somewhere(page):
    """Those within docs/ are checked when the site is built."""
    for target, anchor in re.findall(r"\]\((?!\w+:)([^)#\s]*)#?([^)\s]*)\)", page.read_text()):
        path = PROJECT / target if target else page
        assert path.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
            assert anchor in [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles]
