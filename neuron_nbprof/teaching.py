"""What the tutorials ask their readers: an answer is checked where it stands, and never given away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import isclose
from numbers import Real
from typing import TYPE_CHECKING, Any

from .errors import NeuronProfilerError
from .profile import Profile

if TYPE_CHECKING:
    from .analysis.insights import Insight
    from .explorer.widget import Explorer

ROUNDING = 1e-9
"""Numbers this close, relative to the right one, are the same number."""


@dataclass(frozen=True)
class Words:
    """What `check` says, in one language; ``{}`` is where what it says stands in a line."""

    right: str
    not_yet: str
    your_turn: str
    line: str = "{}"


ENGLISH = Words("Right.", "Not yet:", "Your turn: put your answer where the ... is, and run this cell again.")
#: An isolate gives a line its direction, whatever the output around it has.
PERSIAN = Words(
    "درست است.",
    "هنوز نه:",
    "نوبت شماست: پاسخ را به‌جای سه‌نقطه بنویسید و این سلول را دوباره اجرا کنید.",
    "\N{RIGHT-TO-LEFT ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}",
)


def check(
    answer: Any, right: Any | Callable[[Any], Any], hint: str, *, within: float = 0.0, words: Words = ENGLISH
) -> None:
    """Print one line: ``Right.``, or ``Not yet:`` and the hint, or ``Your turn:``.

    ``answer`` is ``...`` until the reader has one.  ``right`` is the right value, or a function that is
    called with the answer and says whether it is right.  Numbers may be off by the fraction ``within`` of
    the right one, text by upper and lower case and by blanks around it; lists are compared part by part.
    A wrong answer, of whatever type, never raises.
    """
    if _is_open(answer):
        said = words.your_turn
    elif _is_right(answer, right, within):
        said = words.right
    else:
        said = f"{words.not_yet} {hint}"
    print(words.line.format(said))


check_fa = partial(check, words=PERSIAN)
"""`check`, in Persian."""


def _is_open(answer: Any) -> bool:
    return answer is ... or (isinstance(answer, (list, tuple)) and any(part is ... for part in answer))


def _is_right(answer: Any, right: Any, within: float) -> bool:
    try:
        return bool(right(answer)) if callable(right) else _agree(answer, right, within)
    except Exception:  # what a reader may answer has no bounds, and a traceback teaches nothing here
        return False


def _agree(answer: Any, right: Any, within: float) -> bool:
    if _is_number(answer) and _is_number(right):
        return isclose(answer, right, rel_tol=0.0, abs_tol=max(within, ROUNDING) * abs(right))
    if isinstance(answer, str) and isinstance(right, str):
        return answer.strip().casefold() == right.strip().casefold()
    if isinstance(answer, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(answer) == len(right) and all(
            _agree(given, wanted, within) for given, wanted in zip(answer, right, strict=True)
        )
    return type(answer) is type(right) and bool(answer == right)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


HELD_BACK = "They are held back here: find it yourself first."


class Riddle(Profile):
    """A profile that keeps to itself what its insights say."""

    def insights(self) -> list[Insight]:
        raise NeuronProfilerError(HELD_BACK)


def unspoiled(profile: Profile, **options: Any) -> Explorer:
    """The explorer of a profile without what the insights say, which would solve the riddle at first sight.

    ``options`` are those of `Profile.explore`. ``profile.insights()`` still has them.
    """
    profile._explorer = Riddle(profile.trace).explore()
    return profile.explore(**options)
