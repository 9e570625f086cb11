import assert from "node:assert/strict";
import { test } from "node:test";
import type { Line, Station } from "../src/core/chain.ts";
import { occupation, ruleText, shares, waitText } from "../src/core/waiting.ts";
import { table } from "./events.ts";

// Two cores of one device: two earlier executions, the second core 10 ns behind the first, then the one that waits.
const events = table([
  [
    { start: 0, dur: 100 },
    { start: 110, dur: 90 },
    { start: 220, dur: 50 },
  ],
  [
    { start: 10, dur: 100 },
    { start: 120, dur: 90 },
    { start: 230, dur: 50 },
  ],
]);
const station: Station = { lane: 3, rows: [2, 5], start: 220, end: 280 };

test("a wait for the device is the union of what both cores did, each execution counted once", () => {
  // From 50: busy 50..110 and 110..210, idle 210..220.
  assert.deepEqual(occupation(events, [[0], [1]], station, 50), {
    busy: 160,
    idle: 10,
    executions: 2,
    rows: [0, 1],
  });
});

test("what ended before the wait began is not counted", () => {
  assert.deepEqual(occupation(events, [[0], [1]], station, 115), {
    busy: 95,
    idle: 10,
    executions: 1,
    rows: [1],
  });
});

test("waits are told in words", () => {
  const wait = { ns: 170_000, rule: 1, key: 5n };
  const before: Station = { lane: 0, rows: [0], start: -10_000, end: 0 };
  const runtime: Station = { lane: 2, rows: [0], start: 0, end: 1 };
  const told = (ns: number) => waitText({ ...wait, ns }, before, runtime, null);
  assert.equal(told(14_000), "14 µs until submitted");
  assert.equal(told(-3_000), "begins 3 µs before the one above ends");
  assert.equal(told(0), "at once");
  assert.equal(waitText(wait, before, station, null), "170 µs until it runs");
  const cores = { busy: 160_000, idle: 10_000, executions: 2, rows: [0, 1] };
  const queued = "170 µs queued: 160 µs device busy with 2 earlier";
  assert.equal(waitText(wait, before, station, cores, 2), `${queued} operators, 10 µs idle`);
  assert.equal(waitText(wait, before, station, cores, 1), `${queued} executions, 10 µs idle`);
});

test("what begins before its cause is said to show the skew of the clocks, by its least amount", () => {
  const from: Station = { lane: 2, rows: [0], start: 50_000, end: 60_000 };
  const to: Station = { lane: 3, rows: [1], start: 20_000, end: 90_000 };
  const text = waitText({ ns: -40_000, rule: 1, key: 1n }, from, to, null);
  assert.equal(text, "clock skew of at least 30 µs: begins before what caused it");
});

test("a link names its rule, and its key when it has one", () => {
  const rules = [{ text: "nrt_sequence_id", owner: false, guessed: false }];
  assert.equal(
    ruleText({ rule: 0, key: 281474976710685n }, rules),
    "linked by nrt_sequence_id 281474976710685",
  );
  assert.equal(ruleText({ rule: 0, key: 0n }, rules), "linked by nrt_sequence_id");
});

test("shares cut the total into what happens in each moment, overlaps counted once", () => {
  const line: Line = {
    stations: [
      { lane: 0, rows: [0], start: 0, end: 20 },
      { lane: 2, rows: [1], start: 15, end: 30 },
      { lane: 3, rows: [2], start: 70, end: 100 },
    ],
    waits: [],
    stream: null,
    total: 100,
  };
  assert.deepEqual(shares(line), [
    { kind: "station", lane: 0, ns: 20 },
    { kind: "station", lane: 2, ns: 10 },
    { kind: "wait", lane: 3, ns: 40 },
    { kind: "station", lane: 3, ns: 30 },
  ]);
  const cores = { busy: 34, idle: 6, executions: 1, rows: [5] };
  assert.deepEqual(shares(line, cores).slice(2), [
    { kind: "busy", lane: 3, ns: 34 },
    { kind: "idle", lane: 3, ns: 6 },
    { kind: "station", lane: 3, ns: 30 },
  ]);
  for (const found of [shares(line), shares(line, cores)])
    assert.equal(
      found.reduce((sum, { ns }) => sum + ns, 0),
      line.total,
    );
});
