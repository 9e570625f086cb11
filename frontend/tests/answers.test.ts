import assert from "node:assert/strict";
import { test } from "node:test";
import { isAbsent, severity } from "../src/core/answers.ts";

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
