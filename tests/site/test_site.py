"""The documentation as `make docs` has built it, in a real browser and without any other host."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ..lab.driving import EXPLORER, until

PROJECT = Path(__file__).parents[2]
SITE = PROJECT / "site"
NOTEBOOKS = PROJECT / "notebooks"
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
RMSNORM = next((page for page in PAGES if page.endswith("rmsnorm_three_ways.html")), "")
NARROW = {"width": 360, "height": 740}

STATIONS = ["aten::mul", "nrta_execute_schedule", "nc_exec_running", "aten::mul.Tensor"]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    assert PAGES, "make docs builds the site"
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def asked(page: Any) -> list[str]:
    """Addresses that the page asks for and that are not of the site."""
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url))
    return found


def foreign(asked: list[str], address: str) -> list[str]:
    return [url for url in asked if not url.startswith((address, "data:", "blob:", "about:"))]


def test_every_notebook_has_its_page():
    shown = {page.removeprefix("tutorials/") for page in PAGES if page.startswith("tutorials/")}
    notebooks = (path.relative_to(NOTEBOOKS) for path in NOTEBOOKS.rglob("*.ipynb"))
    kept = {path for path in notebooks if not path.parent.name.startswith(".")}
    assert shown == {path.with_suffix(".html").as_posix() for path in kept}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_draws_from_the_site_alone_at_any_width(page, asked, address, name, shot):
    page.goto(f"{address}/{name}")
    page.locator("article h1, .md-content h1").first.wait_for()
    page.set_viewport_size(NARROW)
    page.wait_for_timeout(200)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= NARROW["width"]
    assert foreign(asked, address) == []
    assert page.problems == []
    shot(page, f"site-{name.replace('/', '-').removesuffix('.html')}-narrow")


@pytest.mark.parametrize("name", PAGES)
def test_no_page_refers_to_a_script_style_or_font_elsewhere(name):
    text = re.sub(r'srcdoc="[^"]*"', "", (SITE / name).read_text(encoding="utf-8"))
    loaded = re.findall(r'<(?:script|img|iframe)[^>]*\ssrc="(\w+:[^"]*)', text)
    loaded += re.findall(r'<link[^>]*rel="(?:stylesheet|preconnect|icon)"[^>]*href="(\w+:[^"]*)', text)
    assert [url for url in loaded if not url.startswith("data:")] == []


def explorer(page: Any) -> Any:
    """The first embedded explorer of the page, drawn."""
    element = page.locator("iframe[srcdoc]").first
    element.scroll_into_view_if_needed()
    frame = element.element_handle().content_frame()
    frame.wait_for_load_state()
    until(frame, f"{EXPLORER}?.drawn.frames > 0")
    return element, frame


def test_an_operator_is_followed_in_an_executed_notebook(page, asked, address, shot):
    page.goto(f"{address}/{RMSNORM}")
    element, frame = explorer(page)
    assert element.get_attribute("sandbox").split()[0] == "allow-scripts"
    assert "allow-same-origin" not in element.get_attribute("sandbox")
    element.evaluate("(frame) => frame.scrollIntoView()")
    page.mouse.wheel(0, -80)
    page.wait_for_timeout(300)
    event = frame.evaluate(f"{EXPLORER}.find('aten::mul', 0)")
    at, box = frame.evaluate(f"(id) => {EXPLORER}.pixel(id)", event), element.bounding_box()
    page.mouse.click(box["x"] + at["x"], box["y"] + at["y"])
    until(frame, f"{EXPLORER}.selected === {event}")
    texts = frame.locator(".nbp-station").all_inner_texts()
    assert [text.split("\n")[0] for text in texts] == STATIONS
    assert "SIMULATED" in frame.locator("section.nbp").inner_text()
    assert (foreign(asked, address), page.problems) == ([], [])
    shot(page, "site-explorer")


def test_an_explorer_follows_the_theme_of_the_page(page, address, shot):
    page.emulate_media(color_scheme="light")
    page.goto(f"{address}/{RMSNORM}")
    _, frame = explorer(page)
    until(frame, "document.documentElement.style.colorScheme === 'light'")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.body.dataset.mdColorScheme === 'slate'")
    until(frame, "document.documentElement.style.colorScheme === 'dark'")
    assert frame.evaluate("document.body.dataset.jpThemeLight") == "false"
    shot(page, "site-dark")


def test_the_search_finds_a_trouble_by_its_words(page, address):
    page.goto(f"{address}/index.html")
    page.locator("input.md-search__input").click()
    page.keyboard.type("column is empty")
    first = page.locator(".md-search-result__link").first
    first.wait_for()
    found = page.locator(".md-search-result__item a").evaluate_all("(all) => all.map((a) => a.href)")
    assert any("faq.html" in link for link in found)


def test_tables_from_the_code_are_on_their_pages(page, address):
    page.goto(f"{address}/magics.html")
    assert page.get_by_role("cell", name="--warmup N", exact=True).is_visible()
    page.goto(f"{address}/insights.html")
    assert page.get_by_role("cell", name="empty-device-column", exact=True).is_visible()
    page.goto(f"{address}/simulator.html")
    assert page.get_by_role("cell", name="295 us per execution").first.is_visible()
    page.goto(f"{address}/cli.html")
    assert page.get_by_role("cell", name=re.compile("--max-executions")).first.is_visible()
    page.goto(f"{address}/api.html")
    assert page.locator("#neuron_nbprof\\.profile\\.Profile\\.key_averages").is_visible()
    page.goto(f"{address}/performance.html")
    assert page.get_by_role("cell", name="trace_diff_control").is_visible()
