import assert from "node:assert/strict";
import { test } from "node:test";
import { age } from "../src/lab/age.ts";

test("an age is told in the largest unit that fits", () => {
  const told = [0, 59, 60, 3_599, 3_600, 86_399, 86_400, 200_000].map((seconds) => age(seconds, "en"));
  assert.deepEqual(told, [
    "now",
    "now",
    "1 minute ago",
    "59 minutes ago",
    "1 hour ago",
    "23 hours ago",
    "yesterday",
    "2 days ago",
  ]);
});

test("a clock that is ahead does not tell the future", () => {
  assert.equal(age(-500, "en"), "now");
});
