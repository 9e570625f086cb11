"""Pages of the explorer that several modules open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neuron_nbprof
from neuron_nbprof.explorer import page as explorer_page
from neuron_nbprof.trace import Counter, LinkRule

from .browsing import US, Shown, open_page, shown_of
from .traces import Edge


@pytest.fixture(scope="module")
def naive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return neuron_nbprof.example().to_html(tmp_path_factory.mktemp("page") / "page.html")


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    profiles = [neuron_nbprof.example(name) for name in neuron_nbprof.RMSNORMS]
    return explorer_page.write(profiles[0], tmp_path_factory.mktemp("page") / "page.html", *profiles[1:])


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Shown]]:
    """`visit(path, width, height, **context)` opens a page in a context of its own."""
    contexts: list[Any] = []

    def visit(path: Path, width: int = 1280, height: int = 900, **options: Any) -> Shown:
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **options))
        return open_page(contexts[-1].new_page(), path)

    yield visit
    for context in contexts:
        context.close()


@pytest.fixture
def calls(page: Any, tmp_path: Path) -> Shown:
    """Twenty calls, each with its execution, deep stacks at the first, and memory."""
    events: list[Any] = [(0, 0, 100 * US * i, 20 * US, i, "aten::mul", "cpu_op", b"{}") for i in range(20)]
    events += [(0, d, US, 10 * US, 100 + d, f"frame {d}", "python_function", b"{}") for d in range(1, 7)]
    events += [
        (3, 0, 100 * US * i + 40 * US, 50 * US, 200 + i, "nc_exec_running", "neuron_hw", b"{}")
        for i in range(20)
    ]
    edges = [Edge(i, 26 + i, LinkRule.CORRELATION, i + 1) for i in range(20)]
    memory = Counter("HBM in use", "B", "by hand", np.array([0, 500 * US]), np.array([1 << 20, 2 << 20]))
    return shown_of(page, tmp_path, events, edges, counters=[memory])
