import assert from "node:assert/strict";
import { test } from "node:test";
import { countStarts, hit } from "../src/core/hit.ts";
import { table } from "./events.ts";

const events = table([
  [
    { start: 100, dur: 50 },
    { start: 150, dur: 0 },
    { start: 200, dur: 100 },
  ],
  [{ start: 0, dur: 1000 }],
  [],
]);

test("an event is hit anywhere within it, in its own row only", () => {
  assert.equal(hit(events, 0, 120, 0), 0);
  assert.equal(hit(events, 0, 299, 0), 2);
  assert.equal(hit(events, 1, 120, 0), 3);
  assert.equal(hit(events, 2, 120, 1e9), -1);
});

test("beside an event it is hit within the slop, the nearer of two", () => {
  assert.equal(hit(events, 0, 95, 4), -1);
  assert.equal(hit(events, 0, 96, 4), 0);
  assert.equal(hit(events, 0, 304, 4), 2);
  assert.equal(hit(events, 0, 170, 30), 1);
  assert.equal(hit(events, 0, 180, 30), 2);
});

test("an event without length is hit at its moment", () => assert.equal(hit(events, 0, 150, 0), 1));

test("events that begin in a span are counted", () => {
  assert.equal(countStarts(events, 0, 100, 201), 3);
  assert.equal(countStarts(events, 0, 101, 200), 1);
  assert.equal(countStarts(events, 0, 300, 400), 0);
});

test("rows and ids lead back to events", () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((i) => events.rowOf(i)),
    [0, 0, 0, 1],
  );
  assert.equal(events.withId(102), 2);
  assert.equal(events.withId(99), -1);
  assert.equal(events.first, 0);
  assert.equal(events.last, 1000);
});
