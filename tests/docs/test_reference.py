"""What the documentation takes from the code is all that the code has."""

from __future__ import annotations

import re
import sys

import pytest

from neuron_nbprof.analysis.insights import RULES
from neuron_nbprof.magics import NeuronMagics
from neuron_nbprof.simulator.costs import CostModel

from .pages import PROJECT

sys.path.insert(0, str(PROJECT / "tools"))
import reference


def rows(table: str) -> list[list[str]]:
    return [re.split(r" (?<!\\)\| ", line.strip("| ")) for line in table.splitlines()[2:]]


def test_every_option_of_the_magic_is_listed_with_its_setting():
    listed = {row[0].strip("`").split()[0].rstrip(","): row for row in rows(reference.magic_options())}
    actions = [a for a in NeuronMagics.neuronprof.parser._actions if a.option_strings and a.dest != "help"]
    assert list(listed) == [action.option_strings[0] for action in actions]
    assert listed["--rows"][2] == "`NeuronMagics.rows = 12`"
    assert "NeuronMagics" not in listed["--once"][-1]


def test_every_magic_is_described_without_its_option_list():
    text = reference.magics()
    for magic in NeuronMagics.magics["line"]:
        assert f"## `%{magic}`" in text or f"## `%%{magic} " in text
    assert "--warmup" not in text and "twice unrecorded" in text


def test_every_rule_and_every_constant_is_listed():
    assert {row[0].strip("`") for row in rows(reference.insights())} == {rule.id for rule in RULES}
    constants = {row[0].strip("`"): row for row in rows(reference.simulator_constants())}
    assert list(constants) == [constant["name"] for constant in CostModel().constants()]
    assert constants["execution_us"][1:3] == ["295 us per execution", "fitted"]


def test_the_variants_are_all_but_the_default():
    title = re.compile(r"^### (\w+), LNC=(\d), preset `([\w-]+)`", re.MULTILINE)
    assert title.findall(reference.simulator_variants()) == [
        ("Trainium1", "1", "guide"),
        ("Trainium1", "1", "wall-clock"),
        ("Trainium2", "2", "wall-clock"),
        ("Trainium3", "2", "guide"),
        ("Trainium3", "2", "wall-clock"),
    ]


@pytest.mark.parametrize("page", sorted((PROJECT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_pages_ask_for_tables_that_there_are(page):
    assert set(re.findall(r"\{\{ (\w+) \}\}", page.read_text())) <= set(reference.TABLES)


def test_what_is_refused_and_left_to_the_cpu_is_told():
    lines = reference.simulator_limits().splitlines()
    assert lines[0].startswith("- passes of fused operators") and "'_fused_rms_norm': 3" in lines[0]
    assert lines[1] == "- left to the CPU, as on the real device: scatter, scatter_add, scatter_reduce"
    assert lines[2].startswith("- refused:") and "sparse" in "".join(lines[2:])


def test_a_cell_keeps_its_table_whole():
    assert rows(reference.table(["a", "b"], [["x | y", "two\nlines"]])) == [["x \\| y", "two lines"]]
