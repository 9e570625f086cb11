"""What several answers about one trace need is worked out once. A Trace does not change once it is made."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from ..trace import Trace

Result = TypeVar("Result")

_known: dict[int, dict[Any, Any]] = {}


def once_per_trace(work: Callable[[Trace], Result]) -> Callable[[Trace], Result]:
    """Keep the result for as long as the trace lives. Callers must not change it."""

    @wraps(work)
    def remembered(trace: Trace) -> Result:
        number = id(trace)
        if number not in _known:
            _known[number] = {}
            weakref.finalize(trace, _known.pop, number, None)
        results = _known[number]
        if work not in results:
            results[work] = work(trace)
        result: Result = results[work]
        return result

    return remembered
