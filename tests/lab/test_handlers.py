"""The server's part: what it tells, what it refuses, and that its refusals do not differ."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

# Imported here and not made known to all tests: its event loop is around each test of the module that has it,
# and Playwright's tests cannot live with that.
from pytest_jupyter.jupyter_server import *  # noqa: F403
from tornado.httpclient import HTTPClientError, HTTPResponse

import neuron_nbprof
from neuron_nbprof.lab import handlers

from ..captures import framework_json, system_table, write_capture

EXAMPLE = Path(neuron_nbprof.__file__).parent / "examples" / "rmsnorm_naive"
Ask = Callable[..., HTTPResponse]


@pytest.fixture(autouse=True)
def jp_asyncio_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop of the test's own: tests before these, and Playwright, leave others behind."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield loop
    loop.close()


@pytest.fixture
def jp_server_config() -> dict[str, Any]:
    # A server that starts with this has checked that each of its handlers asks who is there.
    extensions = {"neuron_nbprof.lab": True}
    return {"ServerApp": {"jpserver_extensions": extensions, "allow_unauthenticated_access": False}}


@pytest.fixture
def ask(jp_fetch: Any, jp_asyncio_loop: Any) -> Ask:
    def ask(*parts: str, **options: Any) -> HTTPResponse:
        return jp_asyncio_loop.run_until_complete(jp_fetch("neuron-nbprof", *parts, **options))

    return ask


@pytest.fixture
def root(jp_root_dir: Path) -> Path:
    """A recorded capture, one that only a profiler wrote, a file, and what must not be served."""
    shutil.copytree(EXAMPLE, jp_root_dir / "neuron_profiles" / "naive-20261129-101112")
    write_capture(jp_root_dir, framework_json(), system_table())
    (jp_root_dir / "runs").mkdir()
    (jp_root_dir / "runs" / "step.pt.trace.json").write_text(framework_json())
    (jp_root_dir / "runs" / "notes.json").write_text("{}")
    secret = jp_root_dir.parent / "secret"
    write_capture(secret, framework_json())
    (jp_root_dir / "link").symlink_to(secret)
    (jp_root_dir / "runs" / "link.pt.trace.json").symlink_to(next(secret.rglob("trace.json")))
    holding = jp_root_dir / "holding"
    holding.mkdir()
    (holding / "trace.json").symlink_to(next(secret.rglob("trace.json")))
    (jp_root_dir / "loop").symlink_to("loop")
    write_capture(jp_root_dir / ".ssh", framework_json())
    return jp_root_dir


def listed(response: HTTPResponse) -> dict[str, dict[str, Any]]:
    return {capture["path"]: capture for capture in json.loads(response.body)["captures"]}


def refusal(ask: Ask, *parts: str, **options: Any) -> tuple[int, Any]:
    with pytest.raises(HTTPClientError) as refused:
        ask(*parts, **options)
    return refused.value.code, json.loads(refused.value.response.body)


NAIVE = "neuron_profiles/naive-20261129-101112"
FILE = "runs/step.pt.trace.json"
SESSION = "profile_output/i-0123456789abcdef0_pid_4242/1790857027000000000"


def test_it_lists_what_is_below_the_root_and_nothing_else(ask: Ask, root: Path) -> None:
    found = listed(ask("captures"))
    # `holding` is told by its name; opening it is what is refused.
    assert set(found) == {
        "neuron_profiles/naive-20261129-101112",
        SESSION,
        "runs/step.pt.trace.json",
        "holding",
    }
    naive = found["neuron_profiles/naive-20261129-101112"]
    assert (naive["name"], naive["simulated"], naive["running"]) == ("rmsnorm_naive", True, False)
    assert naive["device"] == "SIMULATED Trainium2, LNC=2"
    assert (naive["recorded_with"], naive["torch"]) == ("0.1.0", "2.13.0+cpu")
    assert (found[SESSION]["recorded_with"], found[SESSION]["torch"]) == (None, None)
    assert found[SESSION]["name"] == "profile_output"


def test_it_tells_the_time_on_the_device(ask: Ask, root: Path) -> None:
    for _ in range(20):  # each list reads for at most half a second
        found = listed(ask("captures"))
        if found[SESSION]["device_ns"] is not None:
            break
    # [38_500, 426_100) and [427_000, 767_600): the union over both physical cores
    assert found[SESSION]["device_ns"] == (426_100 - 38_500) + (767_600 - 427_000)
    assert found["holding"]["device_ns"] is None


def test_a_list_that_has_not_changed_is_not_sent_again(ask: Ask, jp_root_dir: Path) -> None:
    tag = ask("captures").headers["ETag"]
    with pytest.raises(HTTPClientError) as unchanged:
        ask("captures", headers={"If-None-Match": tag})
    assert unchanged.value.code == 304
    write_capture(jp_root_dir, framework_json())
    assert ask("captures", headers={"If-None-Match": tag}).code == 200


@pytest.mark.parametrize(
    "path", ["neuron_profiles/naive-20261129-101112", SESSION, "profile_output", "runs/step.pt.trace.json"]
)
def test_a_page_is_sandboxed_and_changes_its_tag_with_its_capture(ask: Ask, root: Path, path: str) -> None:
    response = ask("page", params={"path": path})
    policy = response.headers["Content-Security-Policy"]
    assert "sandbox allow-scripts" in policy and "allow-same-origin" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    body = response.body.decode()
    assert 'http-equiv="Content-Security-Policy"' in body and "unsafe-eval" not in body
    tag = response.headers["ETag"]
    with pytest.raises(HTTPClientError) as unchanged:
        ask("page", params={"path": path}, headers={"If-None-Match": tag})
    assert unchanged.value.code == 304
    target = root / path
    file = target if target.is_file() else next(target.rglob("trace.json*"))
    os.utime(file, (1, 1))
    assert ask("page", params={"path": path}, headers={"If-None-Match": tag}).headers["ETag"] != tag


def both(*paths: str) -> list[tuple[str, str]]:
    return [("path", path) for path in paths]


def test_several_captures_are_compared_on_one_page(ask: Ask, root: Path) -> None:
    response = ask("page", params=both(NAIVE, SESSION))
    body = response.body.decode()
    assert body.count('data-part="meta"') == 2 and body.count('data-part="comparison"') == 1
    assert body.index("rmsnorm_naive") < body.index("profile_output")
    tag = response.headers["ETag"]
    with pytest.raises(HTTPClientError) as unchanged:
        ask("page", params=both(NAIVE, SESSION), headers={"If-None-Match": tag})
    assert unchanged.value.code == 304
    assert ask("page", params=both(SESSION, NAIVE), headers={"If-None-Match": tag}).headers["ETag"] != tag
    os.utime(next((root / SESSION).rglob("trace.json*")), (1, 1))
    assert ask("page", params=both(NAIVE, SESSION), headers={"If-None-Match": tag}).headers["ETag"] != tag


REFUSED = [
    *("", ".", "/", "..", "../secret", "runs/../../secret", "%2e%2e/secret", "..\\secret", "no/such"),
    *("link", "link/profile_output", "runs/link.pt.trace.json", "holding", "loop"),
    *(".ssh", ".ssh/profile_output", "runs/../.ssh/profile_output", "/etc/passwd", "~", "file:///etc/passwd"),
]


@pytest.mark.parametrize("path", REFUSED)
@pytest.mark.parametrize("place", [0, 1])
def test_a_comparison_is_refused_for_any_one_of_its_captures(
    ask: Ask, root: Path, path: str, place: int
) -> None:
    paths = [SESSION]
    paths.insert(place, path)
    assert refusal(ask, "page", params=both(*paths)) == (404, {"message": "There is no such capture."})


def test_a_comparison_has_limits(ask: Ask, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, answer = refusal(ask, "page", params=both(*[SESSION] * 17))
    assert code == 413 and answer["message"].startswith("17 captures") and "at most 16" in answer["message"]
    one, two = (handlers._identity([root / path])[1] for path in (SESSION, FILE))
    monkeypatch.setattr(handlers, "MAX_BYTES", max(one, two))
    code, answer = refusal(ask, "page", params=both(SESSION, FILE))
    assert code == 413 and f"together hold {one + two:,} bytes" in answer["message"]
    assert ask("page", params=both(SESSION)).code == 200


def test_what_is_no_capture_among_others_is_said(ask: Ask, root: Path) -> None:
    code, answer = refusal(ask, "page", params=both(SESSION, "runs/notes.json"))
    assert code == 422 and "notes.json" in answer["message"]


@pytest.mark.parametrize("path", REFUSED)
def test_all_refusals_are_the_same(ask: Ask, root: Path, path: str) -> None:
    assert refusal(ask, "page", params={"path": path}) == (404, {"message": "There is no such capture."})


def test_an_absolute_path_is_refused_even_below_the_root(ask: Ask, root: Path) -> None:
    assert refusal(ask, "page", params={"path": str(root / "runs")})[0] == 404


def test_hidden_folders_of_a_capture_stay_hidden(ask: Ask, root: Path) -> None:
    before = ask("page", params={"path": "profile_output"}).body.decode()
    hidden = framework_json().replace("aten::mul", "secret::mul")
    write_capture(root / "profile_output" / ".checkpoints", hidden)
    after = ask("page", params={"path": "profile_output"}).body.decode()
    assert "aten::mean" in before and "aten::mean" in after and "secret::" not in after


def test_what_is_no_capture_is_said_in_the_readers_sentence(ask: Ask, root: Path) -> None:
    (root / "100%s").mkdir()
    for path in ("runs/notes.json", "100%s"):
        code, answer = refusal(ask, "page", params={"path": path})
        with pytest.raises(neuron_nbprof.ReadError) as error:
            neuron_nbprof.open(root / path)
        assert (code, answer) == (422, {"message": str(error.value)})


def test_what_a_tab_cannot_hold_is_refused_before_it_is_read(
    ask: Ask, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handlers, "MAX_BYTES", 1000)
    code, answer = refusal(ask, "page", params={"path": SESSION})
    assert code == 413 and "open it in a notebook" in answer["message"]


@pytest.mark.parametrize("end_point", ["captures", "page"])
def test_nobody_is_served_without_a_token(ask: Ask, root: Path, end_point: str) -> None:
    with pytest.raises(HTTPClientError) as refused:
        ask(end_point, headers={"Authorization": ""}, follow_redirects=False)
    assert refused.value.code in (302, 403)


@pytest.mark.parametrize("end_point", ["captures", "page"])
def test_nobody_is_served_who_may_not_read(ask: Ask, root: Path, jp_serverapp: Any, end_point: str) -> None:
    asked = []

    def is_authorized(handler: Any, user: Any, action: str, resource: str) -> bool:
        asked.append((action, resource))
        return False

    jp_serverapp.authorizer.is_authorized = is_authorized
    assert refusal(ask, end_point, params={"path": SESSION})[0] == 403
    assert asked == [("read", "contents")]


def test_a_server_that_nobody_asks_has_not_loaded_bokeh() -> None:
    heavy = "{'bokeh', 'torch', 'pandas', 'pyarrow'}"
    code = f"import sys, neuron_nbprof.lab.handlers; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
