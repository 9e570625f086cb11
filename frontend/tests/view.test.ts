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
import { Layout } from "../src/core/layout.ts";
import { Viewport } from "../src/core/viewport.ts";

const LANES = ["Dispatch", "Stream", "Runtime", "Hardware"];
const track = (lane: number, rows: number) => ({ label: `${lane}`, lane, rows });

test("rows lie one below the other, lane by lane, and are found again by their height", () => {
  const layout = new Layout(LANES, [track(0, 3), track(1, 1), track(2, 2), track(3, 1), track(3, 1)]);
  assert.equal(layout.rowTop.length, 8);
  for (let row = 0; row < 8; row++) {
    assert.equal(layout.rowAt(layout.middle(row)), row);
    if (row) assert.ok(layout.rowTop[row] >= layout.rowTop[row - 1] + layout.rowBar[row - 1] + 2);
  }
  assert.equal(layout.rowAt(layout.lanes[1].top + 3), -1);
  assert.deepEqual(layout.visible(0, layout.height), [0, 8]);
  assert.deepEqual(layout.visible(layout.rowTop[4], layout.rowTop[5] + 1), [4, 6]);
  assert.ok(
    layout.lanes.every((lane, i) => !i || lane.top > layout.lanes[i - 1].top + layout.lanes[i - 1].height),
  );
});

test("a deep trace gets flatter rows, and a very deep one loses none", () => {
  const flat = new Layout(LANES, [track(0, 26)]);
  assert.ok(flat.height <= 500);
  const deep = new Layout(LANES, [track(0, 500), track(3, 1)]);
  assert.equal(deep.rowTop.length, 501);
  assert.ok(deep.rowBar.every((height) => height >= 12));
});

test("a lane without tracks keeps its place", () => {
  const layout = new Layout(LANES, [track(0, 1), track(3, 1)]);
  assert.deepEqual(
    layout.lanes.map((lane) => lane.tracks.length),
    [1, 0, 0, 1],
  );
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
