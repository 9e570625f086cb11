"""What tests of several areas share: a real Chromium, a page that keeps its errors, screenshots."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

from .captures import write_capture

# No test is timed: a busy machine is not a fault.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# A shell starts what runs in the background with interrupts ignored, and tests send them.
signal.signal(signal.SIGINT, signal.default_int_handler)

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
# A quiet browser: nothing fetched in the background, and a sandbox only where the user may have one.
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser() -> Iterator:
    """A headless Chromium. Without one the test is skipped, or fails where NBPROF_REQUIRE_BROWSER is set.

    Not kept for longer than a module: while Playwright runs, its event loop runs in the thread of the tests.
    """
    names = filter(None, (os.environ.get("NBPROF_CHROMIUM"), *CHROMIUM_NAMES))
    executable = next(filter(None, map(shutil.which, names)), None)
    if executable is None:
        if os.environ.get("NBPROF_REQUIRE_BROWSER"):
            pytest.fail("NBPROF_REQUIRE_BROWSER is set and there is no Chromium")
        pytest.skip("no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser) -> Iterator:
    """A fresh page; `page.problems` collects errors of its scripts and of its console."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(f"page: {error}"))
    page.on("console", lambda m: page.problems.append(f"console: {m.text}") if m.type == "error" else None)
    yield page
    context.close()


@pytest.fixture
def shot(tmp_path: Path) -> Callable[..., Path]:
    """`shot(page, name)` saves a picture of the page, in the folder NBPROF_SHOTS if that is set."""
    folder = Path(os.environ.get("NBPROF_SHOTS") or tmp_path)

    def save(page, name: str) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        page.screenshot(path=path)
        return path

    return save


@pytest.fixture
def capture(tmp_path: Path) -> Callable[..., Path]:
    """`capture(framework, system)` writes a hand-made capture folder; see `tests/captures.py`."""
    return partial(write_capture, tmp_path)
