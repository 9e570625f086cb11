import assert from "node:assert/strict";
import { test } from "node:test";
import { density, densityText } from "../src/core/density.ts";
import { CellLines } from "../src/core/lines.ts";
import { measure, measuredText } from "../src/core/measure.ts";
import { downstream, upstream } from "../src/core/neighbours.ts";
import { Lane } from "../src/core/meta.ts";
import { outside, robustRange } from "../src/core/range.ts";
import { sameColours } from "../src/core/same_colours.ts";
import { complaint, EVERYTHING, parseDuration, search } from "../src/core/search.ts";
import { random, table, traceOf, type EdgeList, type Row } from "./events.ts";

const NAMES = ["aten::mul", "aten::mul.Tensor", "kernel[0]", "<b>mul</b>"];
const small = traceOf(
  [
    [
      "framework/TID:1",
      0,
      [
        [
          { start: 0, dur: 30, name: 0 },
          { start: 50, dur: 20_000, name: 0 },
        ],
        [{ start: 5, dur: 10, name: 1 }],
      ],
    ],
    [
      "neuron_hw/NC0:4",
      3,
      [
        [
          { start: 40, dur: 400, name: 2 },
          { start: 500, dur: 0, name: 3 },
        ],
      ],
    ],
  ],
  [],
  NAMES,
);

test("a search finds parts of names in any case, by start", () => {
  assert.deepEqual([...search(small, { ...EVERYTHING, text: "MUL" })], [0, 2, 1, 4]);
  assert.deepEqual(
    [...search(small, { ...EVERYTHING, text: "kernel[0]" })],
    [3],
    "no pattern without asking",
  );
  assert.deepEqual([...search(small, { ...EVERYTHING, text: "nothing like it" })], []);
});

test("a search by pattern, lane and duration", () => {
  assert.deepEqual([...search(small, { ...EVERYTHING, text: "^aten::mul$", regex: true })], [0, 1]);
  assert.deepEqual([...search(small, { ...EVERYTHING, text: "mul", lane: 3 })], [4]);
  assert.deepEqual([...search(small, { ...EVERYTHING, shortest: 30, longest: 400 })], [0, 3]);
  assert.deepEqual([...search(small, { ...EVERYTHING, longest: 0 })], [4]);
  assert.match(complaint({ ...EVERYTHING, text: "(", regex: true })!, /no regular expression/);
  assert.match(complaint({ ...EVERYTHING, shortest: 5000, longest: 10 })!, /at least 5 µs and at most 10 ns/);
  assert.equal(complaint({ ...EVERYTHING, text: "(" }), null);
});

test("durations are read as people write them", () => {
  assert.equal(parseDuration("20 us"), 20_000);
  assert.equal(parseDuration("1.5ms"), 1_500_000);
  assert.equal(parseDuration("3 µs"), 3_000);
  assert.equal(parseDuration("7"), 7_000);
  assert.equal(parseDuration("1,000 ns"), 1_000);
  assert.equal(parseDuration("2 weeks"), null);
  assert.equal(parseDuration("fast"), null);
});

test("a slice says how many events of which names it stands for", () => {
  const row: Row[] = Array.from({ length: 100 }, (_, i) => ({ start: i, dur: 1, name: i % 4 === 3 ? 1 : 0 }));
  const trace = traceOf([["t", 0, [row]]], [], NAMES);
  const found = density(trace, 0, 0, 40);
  assert.deepEqual(found.names, [
    ["aten::mul", 30],
    ["aten::mul.Tensor", 10],
  ]);
  assert.equal(found.events, 40);
  assert.deepEqual(densityText(found), [
    "40 events in this slice",
    "30 × aten::mul",
    "10 × aten::mul.Tensor",
  ]);
});

test("of very many events in a slice a sample is counted by name, and said to be", () => {
  const row: Row[] = Array.from({ length: 50_000 }, (_, i) => ({ start: i, dur: 1, name: 0 }));
  const found = density(traceOf([["t", 0, [row]]], [], NAMES), 0, 0, 50_000);
  assert.deepEqual([found.events, found.names, found.sampled], [50_000, [["aten::mul", 50_000]], true]);
  assert.equal(densityText(found)[1], "about 50,000 × aten::mul");
});

test("the first range leaves out a few events far away, and they are counted by side", () => {
  const row: Row[] = Array.from({ length: 1000 }, (_, i) => ({ start: 1e6 + 10 * i, dur: 5 }));
  const events = table([
    [{ start: 0, dur: 1 }, ...row],
    [{ start: 1e12, dur: 7 }],
    [{ start: 2e12, dur: 0 }],
  ]);
  const range = robustRange(events);
  assert.deepEqual(range, [1e6, 1e6 + 9995]);
  assert.deepEqual(outside(events, range), { before: 1, after: 2 });
  assert.deepEqual(outside(events, [0, 3e12]), { before: 0, after: 0 });
});

test("events that lie together, evenly or in two groups of a size, are all shown at first", () => {
  const group = (at: number) => Array.from({ length: 50 }, (_, i) => ({ start: at + i, dur: 1 }));
  const two = table([[...group(0), ...group(1e9)]]);
  assert.deepEqual(robustRange(two), [0, 1e9 + 50]);
  assert.deepEqual(robustRange(table([[{ start: 3, dur: 4 }]])), [3, 7]);
});

test("every look-up in time is that of a plain search, for gaps, ties and crowds", () => {
  const next = random(11);
  const row: Row[] = [];
  for (let i = 0, time = 0; i < 3000; i++) {
    time += next() < 0.01 ? 1e7 * next() : next() < 0.2 ? 0 : Math.ceil(next() * 30);
    row.push({ start: Math.floor(time), dur: 0 });
  }
  const events = table([[], row, [{ start: 5, dur: 1 }]]);
  const times = [
    ...row.map(({ start }) => start),
    ...Array.from({ length: 3000 }, () => next() * events.last),
  ];
  for (const time of times.flatMap((time) => [time - 1, time, time + 0.5])) {
    const expected = row.findIndex(({ start }) => start >= time);
    assert.equal(events.firstFrom(1, time), expected < 0 ? 3000 : expected, String(time));
  }
  assert.equal(events.firstFrom(0, 5), 0);
  assert.deepEqual([events.firstFrom(2, 5), events.firstFrom(2, 6)], [3000, 3001]);
});

test("a span is measured by unions, clipped to it", () => {
  const trace = traceOf(
    [
      [
        "core 4",
        3,
        [
          [
            { start: 0, dur: 100, name: 0 },
            { start: 150, dur: 100, name: 1 },
          ],
        ],
      ],
      ["core 5", 3, [[{ start: 50, dur: 80, name: 0 }]]],
      ["host", 0, [[{ start: 0, dur: 20, name: 2 }]]],
    ],
    [],
    NAMES,
  );
  const found = measure(trace, [20, 200]);
  // Core 4: 20..100 and 150..200; core 5: 50..130; together 20..130 and 150..200. The host ended before.
  assert.deepEqual(found.lanes, [{ label: "Hardware", busy: 160, events: 3 }]);
  assert.deepEqual(found.tracks, [
    { label: "core 4", busy: 130, events: 2 },
    { label: "core 5", busy: 80, events: 1 },
  ]);
  assert.deepEqual(found.names, [
    { name: "aten::mul", events: 2, time: 160 },
    { name: "aten::mul.Tensor", events: 1, time: 50 },
  ]);
  const text = measuredText(found, 0).split("\n");
  assert.equal(text[0], "180 ns (180 ns) from 20 ns to 200 ns after the first event");
  assert.ok(text.includes("  Hardware: busy 160 ns, 88.9 % of the span, 3 events"));
});

test("neighbours one link away, with gap and rule; many of a kind are one bundle", () => {
  const hardware = Array.from({ length: 300 }, (_, i) => ({ start: 100 + 10 * i, dur: 5, name: 2 }));
  const edges: EdgeList = [[0, 1, 3, "7"], ...hardware.map((_, i): EdgeList[number] => [1, 2 + i, 1, "1"])];
  const trace = traceOf(
    [
      ["host", 0, [[{ start: 0, dur: 90, name: 0 }], [{ start: 10, dur: 50, name: 1 }]]],
      ["core", 3, [hardware]],
    ],
    edges,
    NAMES,
  );
  assert.deepEqual(upstream(trace, 1), [
    { name: "aten::mul", rule: 3, neighbours: [{ row: 0, gap: null, rule: 3 }] },
  ]);
  const [fan, ...others] = downstream(trace, 1);
  assert.deepEqual(others, []);
  assert.equal(fan.neighbours.length, 300);
  assert.deepEqual(fan.neighbours[0], { row: 2, gap: 40, rule: 1 });
  assert.deepEqual(upstream(trace, 2)[0].neighbours, [{ row: 1, gap: 40, rule: 1 }]);
  assert.equal(trace.operatorOf(2), 0);
  assert.equal(trace.operatorOf(0), null);
});

test("a line of the cell has its executions and the union of their device time", () => {
  const trace = traceOf(
    [
      [
        "host",
        0,
        [
          [
            { start: 0, dur: 100, name: 0 },
            { start: 100, dur: 100, name: 1 },
          ],
          [
            { start: 10, dur: 5, name: 2 },
            { start: 30, dur: 5, name: 2 },
            { start: 110, dur: 5, name: 2 },
            { start: 300, dur: 5, name: 2 },
          ],
        ],
      ],
      [
        "core 4",
        3,
        [
          [
            { start: 50, dur: 30, name: 3 },
            { start: 80, dur: 20, name: 3 },
            { start: 120, dur: 7, name: 3 },
          ],
        ],
      ],
      ["core 5", 3, [[{ start: 52, dur: 30, name: 3 }]]],
    ],
    [
      [2, 6, 1, "1"],
      [2, 9, 1, "1"],
      [3, 7, 1, "2"],
      [4, 8, 1, "3"],
    ],
    ["cell line 3", "cell line 12", "aten::mul", "nc_exec_running"],
  );
  const lines = new CellLines(trace);
  assert.deepEqual(
    [...lines.costs],
    [
      [3, { executions: 2, device: 50, roots: [2, 3] }],
      [12, { executions: 1, device: 7, roots: [4] }],
    ],
  );
  assert.equal(lines.lineOf([8, 4]), 12);
  assert.equal(lines.lineOf([5]), null);
});

test("side by side an operator has the colour that it has where it works on the device", () => {
  const operator = (name: string, colour: number) => ({
    ...{ name, colour, calls: 1, cpu_us: 1, neuron_us: colour, share: 0, measured: false },
  });
  const strings = ["aten::mul", "aten::empty", "aten::mean"];
  const dispatch = (colours: number[]): Row[][] => [
    colours.map((colour, name) => ({ start: 10 * name, dur: 5, name, colour })),
  ];
  const work: Row[][] = [[{ start: 40, dur: 5, name: 0, colour: 0 }]];
  const make = (colours: number[]) => {
    const trace = traceOf(
      [
        ["framework/TID:1", Lane.Dispatch, dispatch(colours)],
        ["neuron_rt/NC:0", Lane.Runtime, work],
      ],
      [],
      strings,
    );
    return trace.with(
      { ...trace.meta, operators: colours.map((colour, i) => operator(strings[i], colour)) },
      trace.events,
    );
  };
  const [naive, host] = sameColours([make([1, 0, 4]), make([0, 0, 4])]);
  assert.deepEqual([...host.events.colour], [1, 0, 4, 0], "not what only bears the name in another lane");
  assert.deepEqual(
    host.meta.operators.map(({ colour }) => colour),
    [1, 0, 4],
  );
  assert.deepEqual([...naive.events.colour], [1, 0, 4, 0]);
  const alone = make([0, 0, 4]);
  assert.equal(sameColours([alone])[0], alone);
});
