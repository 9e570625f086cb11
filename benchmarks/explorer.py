"""How the explorer keeps up with the number of events, against the naive way, in one run of one browser.

    python benchmarks/explorer.py [--events 10000 100000 1000000 3000000] [--naive 100000]

Naive is a Bokeh figure with a glyph for every event. A frame is a new span of time until its pixels are
there: level of detail, Bokeh's columns, Bokeh's paint, and one pixel read back so that no drawing is left.
Frames are medians of 60 at each zoom, a page is painted in the median of seven loads; drags are real mouse
moves, from the event to the painted frame. The browser is a headless Chromium that draws in software. Needs
the extra `test` and a Chromium.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from bokeh.embed import file_html
from bokeh.models import ColumnDataSource, Range1d
from bokeh.plotting import figure
from bokeh.resources import INLINE
from playwright.sync_api import sync_playwright

from neuron_nbprof.explorer.columns import encode
from neuron_nbprof.profile import Profile
from neuron_nbprof.trace import Arguments, Lane, LinkRule, Links, Trace, Track

RANKS = 4
#: Rows of one operator: lane, depth, core, name, start after the operator's, share of its time.
ROWS = (
    (Lane.DISPATCH, 0, "", "aten::op{}", 0.0, 0.6),
    (Lane.DISPATCH, 1, "", "aten::op{}.Tensor", 0.1, 0.4),
    (Lane.STREAM, 0, "", "aten::op{}.Tensor", 0.7, 1.0),
    (Lane.RUNTIME, 0, "", "nrta_execute_schedule", 0.65, 0.3),
    (Lane.HARDWARE, 0, "0", "nc_exec_running", 0.8, 0.9),
    (Lane.HARDWARE, 0, "1", "nc_exec_running", 0.8, 0.9),
)
CATEGORIES = ("cpu_op", "privateuse1_runtime", "privateuse1_driver", "neuron_rt", "neuron_hw", "neuron_hw")
EDGES = ((0, 1, LinkRule.EXTERNAL_ID), (1, 2, LinkRule.NRT_SEQUENCE), (1, 3, LinkRule.NRT_SEQUENCE),
         (3, 4, LinkRule.EXEC_FLOW), (3, 5, LinkRule.EXEC_FLOW))  # fmt: skip
NAMES = 40
FRAMES = 60
LOADS = 7
ZOOMS = (1.0, 0.1, 0.01, 0.001)
WORDS = {Lane.DISPATCH: "framework/TID", Lane.STREAM: "framework/Stream", Lane.RUNTIME: "neuron_rt/NC",
         Lane.HARDWARE: "neuron_hw/NC"}  # fmt: skip


def synthetic(events: int) -> Trace:
    """Eager operators of several ranks, followed through all lanes; long and short ones are mixed."""
    rng = np.random.default_rng(1)
    each = events // (RANKS * len(ROWS))
    parts: list[tuple[Track, int, np.ndarray, np.ndarray, list[str], str, int, int]] = []
    for rank in range(RANKS):
        time = np.maximum(rng.lognormal(10, 1.2, each), 200).astype(np.int64)
        begin = np.cumsum(time) - time + rank * 1_000
        for row, (lane, depth, core, name, after, share) in enumerate(ROWS):
            label = f"{WORDS[lane]}:{rank}{core}"
            track = Track(label, lane, f"rank {rank}", str(rank), core)
            names = [name.format(k) for k in range(NAMES)]
            start = begin + (after * time).astype(np.int64)
            parts.append(
                (track, depth, start, (share * time).astype(np.int64), names, CATEGORIES[row], rank, row)
            )
    order = sorted(range(len(parts)), key=lambda i: (parts[i][0].lane, parts[i][0].label, parts[i][1]))
    parts = [parts[i] for i in order]
    tracks = list(dict.fromkeys(part[0] for part in parts))
    strings = list(dict.fromkeys(text for part in parts for text in [*part[4], part[5]]))
    at = {(rank, row): each * i for i, (*_, rank, row) in enumerate(parts)}
    number = np.arange(each, dtype=np.int64)
    edges = [
        (at[rank, source] + number, at[rank, target] + number, rule, number + 1)
        for rank in range(RANKS)
        for source, target, rule in EDGES
    ]
    kind = rng.integers(0, NAMES, each)
    count = each * len(parts)

    def column(values: list[Any], dtype: Any) -> Any:
        return np.repeat(np.array(values, dtype), each)

    return Trace(
        origin_ns=1_790_857_026_000_000_000,
        tracks=tracks,
        strings=strings,
        start=np.concatenate([part[2] for part in parts]),
        dur=np.concatenate([part[3] for part in parts]),
        id=np.arange(count, dtype=np.int64),
        lane=column([part[0].lane for part in parts], np.uint8),
        track=column([tracks.index(part[0]) for part in parts], np.int32),
        name=np.concatenate([np.array([strings.index(n) for n in part[4]])[kind] for part in parts]).astype(
            np.int32
        ),
        category=column([strings.index(part[5]) for part in parts], np.int32),
        depth=column([part[1] for part in parts], np.uint16),
        parent=np.full(count, -1, np.int64),
        links=Links.from_edges(count, edges),
        arguments=Arguments.of([None] * count),
        title=f"{count:,} events",
    )


def naive(trace: Trace, path: Path) -> None:
    row = trace.track * 4 + trace.depth
    source = ColumnDataSource({"left": trace.start, "right": trace.end, "y": -row.astype(float)})
    span = Range1d(int(trace.start.min()), int(trace.end.max()))
    plot = figure(x_range=span, sizing_mode="stretch_width", height=500, tools="", lod_threshold=None)
    plot.hbar(left="left", right="right", y="y", height=0.8, line_color=None, source=source)
    path.write_text(file_html(plot, INLINE, "naive"))


# In the page: `frame(x0, x1)` draws a span of time at once and returns the ms until its pixels are there.
OURS = """() => {
  const { timeline } = document.querySelector("section.nbp").explorer;
  const { viewport, figure } = timeline;
  const layer = figure.view.canvas_view.primary.canvas.getContext("2d");
  globalThis.range = () => [viewport.min, viewport.max];
  globalThis.frame = async (x0, x1) => {
    const begin = performance.now();
    viewport.show(x0, x1);
    await null;
    await null;
    figure.view.paint();
    layer.getImageData(0, 0, 1, 1);
    return performance.now() - begin;
  };
}"""
NAIVE = """() => {
  const [view] = [...Object.values(Bokeh.index)];
  const layer = view.canvas_view.primary.canvas.getContext("2d");
  const { x_range } = view.model;
  const { start, end } = x_range;
  globalThis.range = () => [start, end];
  globalThis.frame = async (x0, x1) => {
    const begin = performance.now();
    x_range.setv({ start: x0, end: x1 });
    view.paint();
    layer.getImageData(0, 0, 1, 1);
    return performance.now() - begin;
  };
}"""
SWEEP = """async ([zoom, frames]) => {
  const [min, max] = range();
  const span = (max - min) * zoom;
  const times = [];
  for (let k = 0; k < frames + 5; k++) {
    // The whole trace zooms in a little, since it cannot be moved; closer views pan.
    const x0 = zoom === 1 ? min + (k + 1) * span * 1e-4 : min + (max - min) * 0.3 + k * span * 0.02;
    times.push(await frame(x0, zoom === 1 ? max : x0 + span));
    if (k % 5 === 4) await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  }
  return times.slice(5);
}"""
WATCH = """(type) => {
  globalThis.painted = [];
  addEventListener(type, (event) => {
    const begin = performance.now();
    requestAnimationFrame(() => setTimeout(() => painted.push(performance.now() - begin)));
  }, true);
}"""


def paint_ms(page: Any, path: Path) -> float:
    """From navigation to the first painted frame."""
    page.goto(path.as_uri())
    return page.evaluate(
        """async () => {
          const next = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          while (!document.querySelector("section.nbp")?.explorer.drawn.frames) await next();
          await next();
          return performance.now();
        }"""
    )


def drag_ms(page: Any) -> list[float]:
    box = page.locator(".nbp-surface").bounding_box()
    page.evaluate("() => { const [a, b] = range(); return frame(a + 0.3 * (b - a), a + 0.4 * (b - a)) }")
    page.evaluate(WATCH, "pointermove")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(FRAMES):
        page.mouse.move(x + 3 * (k % 30 - 15), y)
    page.mouse.up()
    page.wait_for_timeout(300)
    return page.evaluate("painted")[2:]


def click_ms(page: Any) -> list[float]:
    """From the press to the painted chain, for operators here and there."""
    return page.evaluate(
        """async () => {
          const { explorer } = document.querySelector("section.nbp");
          const { events } = explorer.trace;
          const times = [];
          for (let k = 0; k < 50; k++) {
            const event = Math.floor((events.rowPtr[1] * (k + 1)) / 60);
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            const begin = performance.now();
            explorer.select(events.id[event]);
            await null;
            await null;
            explorer.timeline.figure.view.paint();
            document.body.offsetHeight;
            times.push(performance.now() - begin);
          }
          return times;
        }"""
    )


def is_event_column(name: str) -> bool:
    """Whether a column of the wire holds events and not their links or arguments."""
    return not name.startswith(("edge", "args"))


def p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", nargs="*", type=int, default=[10_000, 100_000, 1_000_000, 3_000_000])
    parser.add_argument("--naive", type=int, default=100_000, help="events of the naive figure")
    parser.add_argument("--chromium", default=os.environ.get("NBPROF_CHROMIUM") or shutil.which("chromium"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=options.chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        rival_page = browser.new_page(viewport={"width": 1440, "height": 1000})
        path = Path(place) / "page.html"
        naive(synthetic(options.naive), path)
        rival_page.goto(path.as_uri())
        rival_page.wait_for_function("globalThis.Bokeh && Object.values(Bokeh.index).length")
        rival_page.wait_for_timeout(1000)
        rival_page.evaluate(NAIVE)
        print(f"naive is a figure of {options.naive:,} glyphs, measured before each line; times in ms")
        heads = ["events", "B/event", "page MB", "painted", *(f"{100 * zoom:g} %" for zoom in ZOOMS)]
        print("".join(f"{head:>10}" for head in ["naive", *heads, "/ naive", "drag", "p95", "click"]))
        for events in options.events:
            trace = synthetic(events)
            profile = Profile(trace)
            places = encode(profile).meta["columns"].items()
            wire = [int(dtype[1]) * size for name, (dtype, _, size) in places if is_event_column(name)]
            profile.to_html(path)
            rival_page.bring_to_front()
            rival = statistics.median(rival_page.evaluate(SWEEP, [1.0, 50]))
            page = browser.new_page(viewport={"width": 1440, "height": 1000})
            painted = statistics.median(paint_ms(page, path) for _ in range(LOADS))
            page.wait_for_timeout(300)
            page.evaluate(OURS)
            frames = [statistics.median(page.evaluate(SWEEP, [zoom, FRAMES])) for zoom in ZOOMS]
            drags = drag_ms(page)
            row = [
                f"{rival:.0f}",
                f"{len(trace):,}",
                f"{sum(wire) / len(trace):.1f}",
                f"{path.stat().st_size / 1e6:.2f}",
                f"{painted:.0f}",
                *(f"{frame:.1f}" for frame in frames),
                f"1/{rival / max(frames):.1f}",
                f"{statistics.median(drags):.0f}",
                f"{p95(drags):.0f}",
                f"{statistics.median(click_ms(page)):.1f}",
            ]
            print("".join(f"{cell:>10}" for cell in row), flush=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
