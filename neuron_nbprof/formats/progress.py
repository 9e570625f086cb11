"""A bar for reads that take longer than a second; nobody sees one for the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: Whether bars are shown at all; `neuron_nbprof.open(..., progress=False)` turns them off.
shown: ContextVar[bool] = ContextVar("shown", default=True)

SECONDS_BEFORE_A_BAR = 1.0

#: What is shorter is read in less than a second everywhere, and a bar takes milliseconds to make.
BYTES_BEFORE_A_BAR = 32 << 20


@contextmanager
def bar(name: str, total: int) -> Iterator[Callable[[int], object]]:
    """A function to call with the bytes done since its last call, of ``total``."""
    if total < BYTES_BEFORE_A_BAR or not shown.get():
        yield _nothing
        return
    from tqdm.auto import tqdm

    with tqdm(
        total=total,
        desc=f"reading {name}",
        unit="B",
        unit_scale=True,
        leave=False,
        delay=SECONDS_BEFORE_A_BAR,
    ) as tick:
        yield tick.update


def _nothing(count: int) -> None:
    """No bar to move."""
