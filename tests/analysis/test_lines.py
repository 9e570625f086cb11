"""Costs per line of the cell against a script whose lines were written by hand."""

from __future__ import annotations

from neuron_nbprof.analysis.lines import lines
from neuron_nbprof.analysis.operators import key_averages

from .traces import Script

SOURCE = "a = x * x\nfor _ in range(2):\n    a = f(\n        a)\n"


def script() -> Script:
    found = Script(capture={"source": SOURCE})
    found.host("cell line 1", 0, 25, "user_annotation").eager("aten::mul", 2, (40, 140))
    found.host("cell line 2", 30, 130, "user_annotation")
    for at in (40, 80):
        found.host("cell line 3", at, at + 30, "user_annotation")
        found.host("/tmp/ipykernel_1/9.py(1): f", at + 1, at + 29, "python_function")
        found.eager("aten::add", at + 4, (at + 120, at + 150))
    return found


def test_each_line_has_what_ran_in_it_beside_its_source() -> None:
    table = lines(script().trace())
    cell = table[table["function"] == ""].set_index("line")
    assert cell["source"].tolist() == SOURCE.splitlines()
    assert cell["hits"].tolist() == [1, 1, 2, 0]
    assert cell["host_us"].tolist() == [25, 100 - 60, 60, 0]
    assert cell["neuron_us"].tolist() == [100, 0, 60, 0]
    assert cell["executions"].tolist() == [1, 0, 2, 0]
    assert cell["share"].tolist() == [100 / 160, 0, 60 / 160, 0]


def test_functions_of_the_notebook_follow() -> None:
    table = lines(script().trace())
    (function,) = table[table["function"] != ""].to_dict("records")
    assert function["function"] == "f" and function["line"] == 1 and function["hits"] == 2
    assert (function["host_us"], function["neuron_us"], function["executions"]) == (56, 60, 2)


def test_functions_of_the_kernel_and_of_libraries_are_not_the_notebooks() -> None:
    found = script()
    for number, place in enumerate(
        (
            "/usr/lib/python3/site-packages/ipykernel/kernelbase.py(9): run",
            "ipykernel/iostream.py(9): flush",
            "<string>(1): <lambda>",
            "/home/me/ipykernel_1/helpers.py(9): helper",
        )
    ):
        found.host(place, 200 + number, 201 + number, "python_function")
    found.host("<ipython-input-3-0123abcd>(2): typed", 210, 211, "python_function")
    assert [function for function in lines(found.trace())["function"] if function] == ["f", "typed"]


def test_marks_of_lines_are_no_operators_and_own_no_time() -> None:
    table = key_averages(script().trace()).set_index("name")
    assert table["neuron_us"].to_dict() == {"aten::mul": 100, "aten::add": 60}


def test_a_submission_without_an_operator_is_still_its_own() -> None:
    found = Script(capture={"source": "y = f(x)"}).host("cell line 1", 0, 40, "user_annotation")
    trace = found.eager("kernel", 5, (50, 80), operator=False).trace()
    assert key_averages(trace)["name"].tolist() == ["kernel.call"]
    assert lines(trace)["neuron_us"].tolist() == [30]


def test_without_marks_there_are_no_lines() -> None:
    assert len(lines(Script().eager("aten::mul", 0, (40, 50)).trace())) == 0
