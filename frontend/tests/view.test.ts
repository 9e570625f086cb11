import assert from "node:assert/strict";
import { test } from "node:test";
import { arrow } from "../src/core/arrows.ts";
import {
  colourOf,
  contrast,
  DARK,
  DIMMED,
  blend,
  LIGHT,
  Palette,
  readable,
  rgb,
} from "../src/core/colours.ts";
import { readableJson } from "../src/core/json.ts";
import { Arrangement } from "../src/core/arrangement.ts";
import { group, type Grouping } from "../src/core/grouping.ts";
import { History } from "../src/core/history.ts";
import { Layout } from "../src/core/layout.ts";
import type { TrackInfo } from "../src/core/meta.ts";
import { Viewport } from "../src/core/viewport.ts";
import { LANES, trackOf } from "./events.ts";

const track = (lane: number, rows: number) => trackOf(`${lane}`, lane, rows);

function layoutOf(...tracks: TrackInfo[]): Layout {
  return new Layout(group("lane", LANES, tracks), tracks);
}

test("rows lie one below the other, lane by lane, and are found again by their height", () => {
  const layout = layoutOf(track(0, 3), track(1, 1), track(2, 2), track(3, 1), track(3, 1));
  assert.deepEqual(layout.rows, [0, 1, 2, 3, 4, 5, 6, 7]);
  for (let row = 0; row < 8; row++) {
    assert.equal(layout.rowAt(layout.middle(row)), row);
    if (row) assert.ok(layout.rowTop[row] >= layout.rowTop[row - 1] + layout.rowBar[row - 1] + 2);
  }
  const { groups } = layout;
  assert.equal(layout.rowAt(groups[1].top + 3), -1);
  assert.deepEqual(layout.visible(0, layout.height), layout.rows);
  assert.deepEqual(layout.visible(layout.rowTop[4], layout.rowTop[5] + 1), [4, 5]);
  assert.ok(groups.every((box, i) => !i || box.top > groups[i - 1].top + groups[i - 1].height));
});

test("a deep trace gets flatter rows, and a very deep one loses none when it is unfolded", () => {
  const flat = layoutOf(track(0, 10), track(1, 9));
  assert.ok(flat.height <= 500);
  const tracks = [track(0, 500), track(3, 1)];
  const deep = layoutOf(...tracks);
  assert.deepEqual(deep.rows, [0, 1, 2, 500]);
  assert.equal(deep.groups[0].boxes[0].hidden, 497);
  assert.equal(deep.has(3), false);
  deep.folded.delete(0);
  deep.arrange(group("lane", LANES, tracks));
  assert.equal(deep.rows.length, 501);
  assert.ok(deep.rowBar.every((height) => height >= 12));
  assert.equal(deep.groups[0].boxes[0].hidden, 0);
});

test("a lane without tracks keeps its place", () => {
  const layout = layoutOf(track(0, 1), track(3, 1));
  assert.deepEqual(
    layout.groups.map(({ boxes }) => boxes.length),
    [1, 0, 0, 1],
  );
});

test("tracks are grouped by what their labels and origins say, others come last", () => {
  const tracks = [
    trackOf("framework/TID:9", 0),
    trackOf("framework/Stream:0", 1),
    trackOf("neuron_rt/NC:1", 2),
    { ...trackOf("neuron_hw/NC1:4", 3), process: "7" },
    trackOf("neuron_hw/NC0:2", 3),
  ];
  const titles = (by: Grouping) => group(by, LANES, tracks).map((one) => [one.title, one.tracks]);
  assert.deepEqual(titles("NeuronCore"), [
    ["NeuronCore 1", [2, 3]],
    ["NeuronCore 0", [4]],
    ["Other tracks", [0, 1]],
  ]);
  assert.deepEqual(titles("process"), [
    ["Process i-1, 42", [0, 1, 2, 4]],
    ["Process i-1, 7", [3]],
  ]);
  assert.deepEqual(titles("thread"), [
    ["Thread 9", [0]],
    ["Other tracks", [1, 2, 3, 4]],
  ]);
  assert.deepEqual(titles("stream")[0], ["Stream 0", [1]]);
});

test("tracks can be hidden, moved within their group and made higher", () => {
  const tracks = [track(0, 1), track(3, 1), track(3, 1)];
  const arrangement = new Arrangement(LANES, tracks);
  const layout = new Layout(arrangement.groups(), tracks);
  arrangement.move(2, -1);
  layout.arrange(arrangement.groups());
  assert.deepEqual(layout.rows, [0, 2, 1]);
  assert.ok(layout.rowTop[2] < layout.rowTop[1]);
  arrangement.move(2, -1);
  assert.deepEqual(arrangement.groups()[3].tracks, [2, 1], "it does not leave its lane");
  arrangement.show(0, false);
  arrangement.resize(1, 60);
  layout.arrange(arrangement.groups(), arrangement.heights);
  assert.deepEqual(layout.rows, [2, 1]);
  assert.equal(layout.has(0), false);
  assert.equal(layout.rowAt(layout.middle(1)), 1);
  assert.equal(layout.boxOf(1)?.height, 60);
  assert.equal(layout.boxOf(2)?.height, 22);
  assert.equal(layout.boxOf(0), null);
  arrangement.resize(1, null);
  layout.arrange(arrangement.groups(), arrangement.heights);
  assert.equal(layout.boxOf(1)?.height, 22);
});

test("a height for a whole track is shared by its rows, in even pixels, within limits", () => {
  const layout = layoutOf(track(0, 4), track(3, 1));
  assert.deepEqual(
    [100, 101, 200, 1, 100_000].map((pixels) => layout.rowHeightFor(0, pixels)),
    [26, 26, 50, 10, 120],
  );
});

test("counters lie below the lanes, have a height and no rows, and many are hidden at first", () => {
  const counters = Array.from({ length: 8 }, (_, i) => trackOf(`counter ${i}`, 4, 0));
  const tracks = [track(0, 2), ...counters];
  const arrangement = new Arrangement(LANES, tracks);
  const layout = new Layout(arrangement.groups(), tracks);
  assert.deepEqual(layout.rows, [0, 1]);
  const last = layout.groups[layout.groups.length - 1];
  assert.deepEqual([last.title, last.number, last.tracks], ["Counters", undefined, [1, 2, 3, 4, 5, 6]]);
  assert.ok(last.boxes.every(({ height, top }, i) => height === 48 && top === last.boxes[0].top + 48 * i));
  assert.equal(layout.rowAt(last.boxes[0].top + 10), -1);
  arrangement.resize(2, layout.rowHeightFor(2, 111));
  arrangement.show(7, true);
  layout.arrange(arrangement.groups(), arrangement.heights);
  assert.equal(layout.boxOf(2)?.height, 112);
  assert.equal(layout.boxOf(7)?.height, 48);
  arrangement.only([0]);
  assert.deepEqual(arrangement.state.hidden, [1, 2, 3, 4, 5, 6, 7, 8]);
  arrangement.only(null);
  assert.equal(arrangement.state.hidden, undefined, "as at first");
});

test("an arrangement is told as what differs, comes back as it was, and takes nothing that does not fit", () => {
  const tracks = [track(0, 1), track(3, 1), track(3, 2), trackOf("counter", 4, 0)];
  const arrangement = new Arrangement(LANES, tracks);
  assert.deepEqual(arrangement.state, {});
  arrangement.by = "process";
  arrangement.move(2, -1);
  arrangement.show(0, false);
  arrangement.resize(3, 100);
  const state = JSON.parse(JSON.stringify(arrangement.state)) as unknown;
  assert.deepEqual(state, { by: "process", hidden: [0], order: [0, 2, 1, 3], heights: [[3, 100]] }); // prettier-ignore
  const other = new Arrangement(LANES, tracks);
  other.take(state);
  assert.deepEqual(other.state, state);
  assert.deepEqual(other.groups(), arrangement.groups());
  other.take({ by: "colour", hidden: [9], order: [0, 0, 1, 2], heights: [[9, 40], [1, 7], [1, 9e9], [0, 24], 5] }); // prettier-ignore
  assert.deepEqual(other.state, { heights: [[0, 24]] });
  for (const nothing of [null, undefined, 5, "x", [], {}]) {
    other.take(nothing);
    assert.deepEqual(other.state, {});
  }
});

test("the view zooms around a point and never leaves the trace", () => {
  const view = new Viewport(0, 1000);
  view.zoom(0.5, 250);
  assert.ok(Math.abs(view.span - 520) < 1e-9);
  assert.ok(Math.abs((250 - view.x0) / view.span - 270 / 1040) < 1e-9);
  view.pan(-10);
  assert.equal(view.x0, view.min);
  view.pan(100);
  assert.equal(view.x1, view.max);
  view.zoom(1e-9);
  assert.ok(view.span >= 20);
  view.zoom(1e9);
  assert.ok(view.isWhole);
});

test("the view tells of every change, once", () => {
  const view = new Viewport(0, 1000);
  let changes = 0;
  view.onChange(() => changes++);
  view.focus(400, 500);
  assert.deepEqual([view.x0, view.x1], [390, 510]);
  view.focus(400, 500);
  view.reveal(420, 430);
  assert.equal(changes, 1);
  view.reveal(900, 910);
  assert.ok(view.x0 < 900 && view.x1 > 910);
  assert.equal(changes, 2);
});

test("text can be read on every colour, dimmed or not, in both themes", () => {
  for (const theme of [LIGHT, DARK]) {
    for (const dimmed of [false, true]) {
      const palette = new Palette(theme, dimmed);
      for (let index = 0; index < 256; index++) {
        const colour = rgb(colourOf(index, theme));
        const ground = blend(colour, rgb(theme.background), dimmed ? DIMMED : 1);
        assert.ok(contrast(rgb(palette.text[index]), ground) >= 4.5, `${index} ${theme.dark} ${dimmed}`);
      }
    }
  }
  assert.equal(readable([0, 0, 0]), "#ffffff");
});

test("contrast is that of WCAG", () => {
  assert.equal(contrast([0, 0, 0], [255, 255, 255]), 21);
  assert.ok(Math.abs(contrast(rgb("#777777"), rgb("#ffffff")) - 4.48) < 0.005);
});

test("an arrow goes right to what comes later", () => {
  const curve = arrow(
    { left: 0, right: 10, top: 0, bottom: 20 },
    { left: 100, right: 200, top: 40, bottom: 60 },
  );
  assert.deepEqual([curve.x0, curve.y0, curve.y1, curve.angle], [10, 10, 50, 0]);
  assert.ok(curve.x1 <= 100 && curve.cx0 > curve.x0 && curve.cx1 < curve.x1);
});

test("an arrow goes down, or up, to what begins earlier", () => {
  const low = { left: 5, right: 9, top: 40, bottom: 60 };
  const high = { left: 0, right: 10, top: 0, bottom: 20 };
  const down = arrow(high, low);
  assert.deepEqual([down.y0, down.angle], [20, -Math.PI / 2]);
  assert.ok(down.y1 <= 40 && down.x0 >= 0 && down.x0 <= 10);
  const up = arrow(low, high);
  assert.deepEqual([up.y0, up.angle], [40, Math.PI / 2]);
  assert.ok(up.y1 >= 20);
});

test("arguments are laid out without a change to their values", () => {
  const text = '{"id":281474976710685123,"s":"a, {b}: \\"c\\"","e":{},"l":[1,[2,{}]]}';
  const shown = readableJson(text);
  assert.deepEqual(JSON.parse(shown), JSON.parse(text));
  assert.ok(shown.includes("281474976710685123"));
  assert.equal(readableJson('{"a":[1,2],"b":{}}'), '{\n  "a": [1, 2],\n  "b": {}\n}');
});

test("views can be gone back to and forward again, until another is visited", () => {
  const history = new History([0, 100]);
  history.visit([10, 20]);
  history.visit([10, 20]);
  history.visit([12, 14]);
  assert.deepEqual(history.back(), [10, 20]);
  assert.deepEqual(history.back(), [0, 100]);
  assert.equal(history.back(), null);
  assert.deepEqual(history.forward(), [10, 20]);
  history.visit([50, 60]);
  assert.equal(history.canGoForward, false);
  assert.deepEqual(history.back(), [10, 20]);
});

test("home leaves out what is far away, and a second call shows that too", () => {
  const view = new Viewport(0, 1_000_000, [0, 1000]);
  assert.deepEqual([view.x0, view.x1], [-20, 1020]);
  assert.deepEqual(view.extent, [-20, 1020]);
  view.whole();
  assert.deepEqual(view.extent, [view.min, view.max]);
  assert.ok(view.isWhole);
  view.whole();
  assert.deepEqual([view.x0, view.x1], [-20, 1020]);
});
