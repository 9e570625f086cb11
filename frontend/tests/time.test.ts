import assert from "node:assert/strict";
import { test } from "node:test";
import { decimal, duration, exactMicros, exactNs, ticks } from "../src/core/time.ts";

test("durations stand in the unit they are compared in", () => {
  const expected: [ns: number, text: string][] = [
    [0, "0 ns"],
    [950, "950 ns"],
    [1_950, "1.95 µs"],
    [9_000, "9 µs"],
    [20_500, "20.5 µs"],
    [387_575, "388 µs"],
    [2_355_000, "2,355 µs"],
    [12_345_678, "12.3 ms"],
    [1_234_567_890, "1,235 ms"],
    [61_000_000_000, "61 s"],
    [-1_950, "−1.95 µs"],
  ];
  for (const [ns, text] of expected) assert.equal(duration(ns), text);
});

test("exact times keep every nanosecond", () => {
  assert.equal(exactNs(1_823_633), "1,823,633 ns");
  assert.deepEqual(exactMicros([1_861_000, 20_000]), ["1,861", "20"]);
  assert.deepEqual(exactMicros([1_861_100, 20_000]), ["1,861.1", "20.0"]);
  assert.deepEqual(exactMicros([1_861_001, 20_000]), ["1,861.001", "20.000"]);
  assert.deepEqual(exactMicros([-1_200]), ["−1.2"]);
});

test("no sign on what rounds to zero", () => assert.equal(decimal(-0.4), "0"));

test("ticks are round, fit the width and carry the unit of the span", () => {
  const found = ticks(-54_000, 2_700_000, 730);
  assert.deepEqual(
    found.map((tick) => tick.label),
    ["0", "0.5 ms", "1.0 ms", "1.5 ms", "2.0 ms", "2.5 ms"],
  );
  assert.equal(found[3].time, 1_500_000);
});

test("deep inside a trace labels still tell neighbours apart", () => {
  const labels = ticks(1_853_200, 1_853_400, 900).map((tick) => tick.label);
  assert.deepEqual(labels.slice(0, 2), ["1,853,200 ns", "1,853,250 ns"]);
  assert.equal(new Set(labels).size, labels.length);
});

test("long traces are told in seconds", () => {
  assert.ok(ticks(0, 90e9, 900).every(({ label }) => label === "0" || label.endsWith(" s")));
});
