"""The self-contained page as text: one file, no network, no text of a trace read as markup."""

from __future__ import annotations

import base64
import gzip
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from neuron_nbprof.explorer import page
from neuron_nbprof.explorer.columns import encode

from .traces import FakeProfile, trace_of

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)><!--"


class Elements(HTMLParser):
    """Start tags with their attributes, and the text inside each script by its id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self._script: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        names = dict(attrs)
        self._script = (names.get("id") or names.get("data-part") or "") if tag == "script" else None

    def handle_endtag(self, tag: str) -> None:
        self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data


def hostile_profile() -> FakeProfile:
    events = [(0, 0, 0, 10, 0, HOSTILE, "cpu_op", json.dumps({HOSTILE: HOSTILE}).encode())]
    return FakeProfile(trace_of(events, [], title=HOSTILE, device=HOSTILE, source=HOSTILE), ((HOSTILE, 1.0),))


@pytest.fixture(scope="module")
def text() -> str:
    return page.html(FakeProfile(trace_of()))


def test_the_policy_allows_the_page_s_own_scripts_and_nothing_else(text: str) -> None:
    elements = Elements(text)
    metas = [attributes for tag, attributes in elements.tags if tag == "meta"]
    policy = next(m["content"] for m in metas if m.get("http-equiv") == "Content-Security-Policy") or ""
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    nonce = re.fullmatch(r"'nonce-([\w-]{20,})' blob:", rules["script-src"])
    assert nonce
    assert rules["default-src"] == "'none'"
    assert "connect-src" not in rules and "unsafe-eval" not in policy
    scripts = [attributes for tag, attributes in elements.tags if tag == "script"]
    run = [attributes for attributes in scripts if attributes["type"] == "module"]
    assert [attributes["nonce"] for attributes in run] == [nonce[1]]
    assert {attributes["type"] for attributes in scripts} == {"module", "application/json", "text/plain"}


def test_every_page_has_a_nonce_of_its_own(text: str) -> None:
    other = page.html(FakeProfile(trace_of()))
    nonces = [re.findall(r'nonce="([^"]+)"', content) for content in (text, other)]
    assert nonces[0] != nonces[1]


def test_nothing_is_loaded_from_anywhere(text: str) -> None:
    elements = Elements(text)
    assert not [attributes for _, attributes in elements.tags if {"src", "href"} & attributes.keys()]
    assert "cdn.bokeh.org" not in text


def test_the_data_in_the_page_is_what_was_encoded(text: str) -> None:
    scripts = Elements(text).scripts
    encoded = encode(FakeProfile(trace_of()))
    assert json.loads(scripts["meta"]) == json.loads(json.dumps(encoded.meta))
    assert gzip.decompress(base64.b64decode(scripts["columns"])) == encoded.block
    assert b"BokehJS" in gzip.decompress(base64.b64decode(scripts["bokeh"]))


def test_no_text_of_a_trace_is_read_as_markup() -> None:
    text = page.html(hostile_profile())
    elements = Elements(text)
    plain = Elements(page.html(FakeProfile(trace_of())))
    assert [tag for tag, _ in elements.tags] == [tag for tag, _ in plain.tags]
    assert "<img" not in text and "<script>" not in text
    assert json.loads(elements.scripts["meta"])["strings"][0] == HOSTILE


def test_simulated_stands_in_the_title(text: str) -> None:
    assert "<title>SIMULATED · by hand</title>" in text
    assert "<title>by hand</title>" in page.html(FakeProfile(trace_of(simulated=False)))


def test_ten_thousand_events_fit_in_two_megabytes() -> None:
    events = [
        (0, 0, 1_000 * i, 617 + i % 301, i, f"aten::op{i % 40}", "cpu_op", f'{{"External id": {i}}}'.encode())
        for i in range(10_000)
    ]
    assert len(page.html(FakeProfile(trace_of(events, []))).encode()) < 2_000_000


def test_write_says_where(tmp_path: Path) -> None:
    path = page.write(FakeProfile(trace_of()), str(tmp_path / "page.html"))
    assert path == tmp_path / "page.html"
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
