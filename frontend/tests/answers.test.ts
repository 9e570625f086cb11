import assert from "node:assert/strict";
import { test } from "node:test";
import { ifFree, isAbsent, rowsOf, severity } from "../src/core/answers.ts";
import { table } from "./events.ts";

test("each severity has a word and a shape of its own, whatever its colour", () => {
  const shown = ["error", "warning", "info"].map(severity);
  assert.equal(new Set(shown.map(({ word }) => word)).size, 3);
  assert.equal(new Set(shown.map(({ shape }) => shape)).size, 3);
  assert.equal(severity("constructor").word, "Info");
});

test("an answer that is not there says why", () => {
  assert.ok(isAbsent({ absent: "too many events" }));
  assert.ok(!isAbsent({ count: 0, found: [] }));
});

test("ids become rows in the order that they are given in; an unknown one is left out", () => {
  const events = table([
    [{ start: 0, dur: 1 }],
    [
      { start: 5, dur: 1 },
      { start: 7, dur: 1 },
    ],
  ]);
  assert.deepEqual(rowsOf(events, [102, 100, 999, 101, 100]), [2, 0, 1, 0]);
});

test("the sentence of the critical path names the greatest lane and what would be left without it", () => {
  const lanes = [
    { lane: "hardware", dur_us: 750, share: 0.75, step_without_us: 250 },
    { lane: "host", dur_us: 250, share: 0.25, step_without_us: 750 },
  ];
  const path = { steps: 1, whole_us: 1000, lanes, count: 2, segments: [], event_count: 0, events: [] };
  const sentence =
    "Of the 1,000 µs of the step, hardware holds the path for 750 µs (75 %); " +
    "were that free, the step would take 250 µs at best (another path may then be the longest).";
  assert.equal(ifFree(path), sentence);
  assert.match(ifFree({ ...path, lanes: path.lanes.slice(0, 1) }), /^All of the .* of the step is [a-z]+\.$/);
  assert.match(ifFree({ ...path, steps: 0 }), /of the trace, .* free, the trace would take/);
  assert.match(ifFree({ ...path, steps: 3 }), /of 3 steps together, .* were that free, 3 steps together/);
});
