"""What is found below a folder, within its limits, and what hostile or broken files make of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from neuron_nbprof.lab.facts import DeviceTimes
from neuron_nbprof.lab.listing import Limits, find
from neuron_nbprof.lab.root import Root


def record(folder: Path, **facts: Any) -> Path:
    """A folder as the magic leaves it, with as little in it as can be."""
    folder.mkdir(parents=True)
    (folder / "capture.json").write_text(json.dumps({"version": 1, "name": folder.name, **facts}))
    return folder


def test_running_and_ended_kernels_are_told_apart(tmp_path: Path) -> None:
    record(tmp_path / "a", kernel_id="k1", notebook="nb.ipynb")
    record(tmp_path / "b", kernel_id="k2")
    record(tmp_path / "c", kernel_id=None)
    found = {capture.name: capture for capture in find(Root(str(tmp_path)), {"k1", "k9"}).captures}
    assert [found[name].running for name in "abc"] == [True, False, False]
    assert [found[name].kernel for name in "abc"] == ["k1", "k2", None]
    assert found["a"].notebook == "nb.ipynb"


def test_newest_first(tmp_path: Path) -> None:
    for age, name in enumerate(("new", "old", "oldest")):
        when = 1_800_000_000 - age
        os.utime(record(tmp_path / name) / "capture.json", (when, when))
    assert [capture.name for capture in find(Root(str(tmp_path)), set()).captures] == ["new", "old", "oldest"]


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "null", '"x"', "{", "[" * 100_000, '{"name": 7, "kernel_id": ["k"], "simulated": "yes"}',
        json.dumps({"name": "x" * 100_000}),
    ],
    ids=["empty", "list", "null", "text", "cut", "deep", "types", "long"],
)  # fmt: skip
def test_a_broken_capture_json_breaks_no_list(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "capture.json").write_text(text)
    (folder / "trace.json").write_text("{}")
    (capture,) = find(Root(str(tmp_path)), {"k"}).captures
    assert (capture.path, capture.kernel, capture.simulated) == ("a", None, False)
    assert capture.name in ("a", "x" * 2000)


def test_a_capture_json_is_not_followed_out_of_the_root(tmp_path: Path) -> None:
    outside = record(tmp_path / "outside", error="secret")
    (tmp_path / "root" / "a").mkdir(parents=True)
    (tmp_path / "root" / "a" / "capture.json").symlink_to(outside / "capture.json")
    (tmp_path / "root" / "a" / "trace.json").write_text("{}")
    (capture,) = find(Root(str(tmp_path / "root")), set()).captures
    assert capture.error is None


def test_what_is_left_out_by_a_limit_is_said(tmp_path: Path) -> None:
    root = Root(str(tmp_path))
    record(tmp_path / "a" / "b" / "c")
    record(tmp_path / "d")
    assert not find(root, set()).cut
    for limits in (Limits(depth=1), Limits(captures=1), Limits(entries=1)):
        listing = find(root, set(), limits)
        assert listing.cut and len(listing.captures) < 2


def test_a_capture_is_one_entry_whatever_it_holds(tmp_path: Path) -> None:
    folder = record(tmp_path / "a")
    for name in (
        "x_pid_1/1/trace.json",
        "x_pid_2/2/SystemProfileEvents_0.parquet",
        "x_pid_2/2/step.pt.trace.json",
    ):
        path = folder / "x_pid_1" / "1" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"12345")
    (capture,) = find(Root(str(tmp_path)), set()).captures
    assert capture.bytes == 15 + (folder / "capture.json").stat().st_size


def test_a_thousand_captures_are_all_listed(tmp_path: Path) -> None:
    for number in range(1000):
        record(tmp_path / "neuron_profiles" / f"step-{number}", device_name="Trainium2")
    times, root = DeviceTimes(), Root(str(tmp_path))
    listing = find(root, set())
    times.tell(listing.captures, root, seconds=0.1)
    assert len(listing.captures) == 1000 and not listing.cut
