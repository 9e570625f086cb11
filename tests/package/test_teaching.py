"""What readers of the tutorials answer: right, wrong, not yet, and everything in between."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from neuron_nbprof.teaching import check, check_fa

HINT = "Count the rows of the hardware lane."


@pytest.fixture
def said(capsys):
    def said(*arguments, **options):
        check(*arguments, HINT, **options)
        return capsys.readouterr().out

    return said


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (6, 6),
        (6.0, 6),
        (np.int64(6), 6),
        (np.float32(0.5), 0.5),
        (0.1 + 0.2, 0.3),
        (0, 0),
        (" Aten::MUL ", "aten::mul"),
        (True, True),
        (["aten::mul", 3], ("aten::mul", 3)),
        ({"mul", "add"}, {"add", "mul"}),
        (7, lambda answer: answer % 2),
        (np.array([1, 2]), lambda answer: (answer == [1, 2]).all()),
    ],
)
def test_what_is_right_is_called_right(said, answer, right):
    assert said(answer, right) == "Right.\n"


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (5, 6),
        ("6", 6),
        (6, "6"),
        (None, 6),
        (True, 1),
        (float("nan"), 6),
        (6 + 0j, 6),
        ("aten::add", "aten::mul"),
        (["aten::mul"], ["aten::mul", "aten::mul"]),
        (3, lambda answer: answer.strip() == "3"),
        (np.array([6, 6]), 6),
        (np.array([6, 6]), lambda answer: answer == 6),
        (pd.DataFrame({"a": [6]}), 6),
        (object(), "busy"),
    ],
)
def test_what_is_wrong_gets_the_hint_and_no_traceback(said, answer, right):
    assert said(answer, right) == f"Not yet: {HINT}\n"


@pytest.mark.parametrize("answer", [..., (..., 3), [1, ...]])
def test_what_is_open_is_the_readers_turn(said, answer):
    spoken = said(answer, lambda answer: pytest.fail("asked about no answer"))
    assert spoken == "Your turn: put your answer where the ... is, and run this cell again.\n"


@pytest.mark.parametrize(
    ("answer", "right", "expected"),
    [
        (393, 400, True),
        (407, 400, True),
        (379, 400, False),
        (421, 400, False),
        (-95, -100, True),
        (0.01, 0, False),
    ],
)
def test_numbers_may_be_off_by_a_fraction_of_the_right_one(said, answer, right, expected):
    assert (said(answer, right, within=0.05) == "Right.\n") == expected


def test_a_wrong_answer_does_not_tell_the_right_one(said):
    assert "31415" not in said(3, 31415) and "31415" not in said(3, 31415, within=0.5)


def test_it_speaks_persian_from_right_to_left(capsys):
    for answer in (..., 5, 6):
        check_fa(answer, 6, "دوباره بشمارید.")
    open_, wrong, right = capsys.readouterr().out.splitlines()
    assert [line[0] + line[-1] for line in (open_, wrong, right)] == ["\u2067\u2069"] * 3
    assert (wrong[1:-1], right[1:-1]) == ("هنوز نه: دوباره بشمارید.", "درست است.")
    assert open_[1:].startswith("نوبت شماست:")
