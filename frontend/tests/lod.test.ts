import assert from "node:assert/strict";
import { test } from "node:test";
import { Palette, LIGHT } from "../src/core/colours.ts";
import { Layout, UNIT } from "../src/core/layout.ts";
import { LevelOfDetail, MAX_SLICES, type View } from "../src/core/lod.ts";
import type { EventTable } from "../src/core/events.ts";
import { random, table, trackOf, type Row } from "./events.ts";

const palette = new Palette(LIGHT, false).raster;

function layoutOf(rows: number): Layout {
  const layout = new Layout([{ title: "Dispatch", tracks: [0] }], [trackOf("t", 0, rows)]);
  layout.folded.clear();
  layout.arrange([{ title: "Dispatch", tracks: [0] }]);
  return layout;
}

function draw(events: EventTable, view: Partial<View> = {}) {
  const layout = layoutOf(events.rows);
  const full: View = {
    x0: events.first,
    x1: events.last,
    rows: Array.from({ length: events.rows }, (_, row) => row),
    columns: 600,
    wide: 2,
    ...view,
  };
  const detail = new LevelOfDetail(events, layout);
  detail.draw(full, palette);
  const alpha = (row: number, column: number) => {
    const line = (layout.rowTop[row] - detail.top) / UNIT;
    return detail.image[line * full.columns + column] >>> 24;
  };
  return { detail, view: full, alpha };
}

/** Rows of many short and some long events, and now and then one of no length at all. */
function busyRows(rows: number, perRow: number): Row[][] {
  const next = random(7);
  return Array.from({ length: rows }, () => {
    let time = 0;
    return Array.from({ length: perRow }, () => {
      const start = time + Math.floor(next() * 40);
      const dur = next() < 0.1 ? 0 : Math.floor(next() ** 8 * 20_000);
      time = start + dur;
      return { start, dur, colour: 1 + Math.floor(next() * 5) };
    });
  });
}

function overlaps(events: EventTable, { x0, x1, rows }: View): number[] {
  const found: number[] = [];
  assert.equal(rows.length, events.rows);
  for (let i = 0; i < events.count; i++) {
    const begins = events.start[i] >= x0 && events.start[i] < x1;
    if (begins || (events.start[i] < x0 && events.end(i) > x0)) found.push(i);
  }
  return found;
}

for (const [name, x0, x1] of [
  ["the whole trace", 0, 0],
  ["a part", 40_000, 90_000],
  ["a few events", 41_000, 41_400],
] as const) {
  test(`${name}: every event is a bar or within the raster`, () => {
    const events = table(busyRows(5, 4000));
    const { detail, view, alpha } = draw(events, x1 ? { x0, x1 } : {});
    const expected = overlaps(events, view);
    assert.equal(detail.slices.length + detail.merged, expected.length);
    const bars = new Set(detail.slices);
    assert.equal(bars.size, detail.slices.length);
    const pixel = (view.x1 - view.x0) / view.columns;
    for (const i of expected) {
      if (bars.has(i)) continue;
      assert.ok(events.dur[i] < view.wide * pixel, "only what is narrow is merged");
      const column = Math.max(0, Math.floor((events.start[i] - view.x0) / pixel));
      assert.ok(alpha(events.rowOf(i), column) > 100, `event ${i} can be seen`);
    }
  });
}

test("an event without length takes a pixel, and nothing beside it is drawn", () => {
  const events = table([[{ start: 500, dur: 0 }]]);
  const { detail, alpha } = draw(events, { x0: 0, x1: 1000, columns: 100 });
  assert.equal(detail.merged, 1);
  assert.ok(alpha(0, 50) > 100);
  assert.equal(alpha(0, 49), 0);
  assert.equal(alpha(0, 51), 0);
});

test("a denser pixel is more opaque, a full one entirely", () => {
  const half = table([Array.from({ length: 50 }, (_, i) => ({ start: 2 * i, dur: 1 }))]);
  const whole = table([Array.from({ length: 100 }, (_, i) => ({ start: i, dur: 1 }))]);
  const view = { x0: 0, x1: 1000, columns: 10 };
  assert.equal(draw(whole, view).alpha(0, 0), 255);
  const shade = draw(half, view).alpha(0, 0);
  assert.ok(shade > 150 && shade < 220, String(shade));
});

test("with too many wide events the widest stay bars and the others keep their full colour", () => {
  const row = Array.from({ length: 4000 }, (_, i) => ({ start: 10 * i, dur: i % 2 ? 9 : 5 }));
  const events = table([row]);
  const { detail, view, alpha } = draw(events, { columns: 40_000, wide: 2 });
  assert.equal(detail.slices.length, MAX_SLICES);
  assert.equal(detail.slices.length + detail.merged, 4000);
  assert.ok(detail.slices.every((i) => events.dur[i] === 9));
  const pixel = (view.x1 - view.x0) / view.columns;
  for (let i = 0; i < 4000; i += 2) assert.equal(alpha(0, Math.floor((events.start[i] + 1) / pixel)), 255);
});

test("a long event that begins before the view is drawn, one that ended before it is not", () => {
  const events = table([
    [
      { start: 0, dur: 100 },
      { start: 200, dur: 1000 },
    ],
  ]);
  assert.deepEqual(draw(events, { x0: 500, x1: 600 }).detail.slices, [1]);
  assert.equal(draw(events, { x0: 500, x1: 600 }).detail.merged, 0);
});

test("the bars of a row are as high as the layout says", () => {
  const events = table([[{ start: 0, dur: 1 }], [{ start: 0, dur: 1 }]]);
  const layout = layoutOf(2);
  const { detail, view } = draw(events, { x0: 0, x1: 1000 });
  const opaque = (line: number) => detail.image[line * view.columns] !== 0;
  const lines = Array.from({ length: detail.lines }, (_, line) => opaque(line));
  const bar = layout.rowBar[0] / UNIT;
  const gap = (layout.rowTop[1] - layout.rowTop[0]) / UNIT - bar;
  const expected = [
    ...Array<boolean>(bar).fill(true),
    ...Array<boolean>(gap).fill(false),
    ...Array<boolean>(bar).fill(true),
  ];
  assert.deepEqual(lines, expected);
});

test("in a crowd every event is counted and seen, at most a pixel beside its place", () => {
  const events = table(
    busyRows(2, 60_000).map((row) => row.map((event) => ({ ...event, dur: event.dur % 30 }))),
  );
  const { detail, view, alpha } = draw(events, { columns: 300 });
  assert.equal(detail.slices.length + detail.merged, events.count);
  assert.equal(detail.slices.length, 0);
  const pixel = (view.x1 - view.x0) / view.columns;
  for (let i = 0; i < events.count; i++) {
    const column = Math.min(view.columns - 1, Math.floor((events.start[i] - view.x0) / pixel));
    const row = events.rowOf(i);
    assert.ok(alpha(row, column) > 100 || (column > 0 && alpha(row, column - 1) > 100), `event ${i}`);
  }
});

test("the raster of a crowd is that of exact edges, but for a shade", () => {
  const events = table(
    busyRows(1, 60_000).map((row) => row.map((event) => ({ ...event, dur: event.dur % 30 }))),
  );
  const rough = draw(events, { columns: 300 }).detail.image;
  events.roughlyFrom = () => -1;
  const exact = draw(events, { columns: 300 }).detail.image;
  const away = rough.slice(0, 300).map((rgba, i) => Math.abs((rgba >>> 24) - (exact[i] >>> 24)));
  const most = away.reduce((a, b) => Math.max(a, b), 0);
  const mean = away.reduce((a, b) => a + b, 0) / 300;
  assert.ok(mean < 6 && most < 48, `opacity differs by ${mean} on average, ${most} at most`);
});
