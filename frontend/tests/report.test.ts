import assert from "node:assert/strict";
import { test } from "node:test";
import { CHAIN, isChainReport, isKey, isView } from "../src/core/report.ts";

const station = { id: 3, name: "aten::mul", where: "1 Dispatch", duration: 20_000 };
const line = {
  stations: [station, station],
  waits: [
    { text: "", rule: "", ns: -5, cores: null },
    { text: "", rule: "", ns: 5, cores: { busy: 3, idle: 2, with: "busy with aten::add" } },
  ],
  stream: null,
  total: 1,
};
const selected = { id: 1, name: "aten::mul", ordinal: "1 of 3", args: "{}", lines: [line], truncated: false };
const report = { type: CHAIN, title: "t", simulated: true, selected };

/** Every object within `value` with one of its members replaced by each of `wrong`. */
function* broken(value: unknown, wrong: unknown[]): Generator<unknown> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const put = (other: unknown) =>
      Array.isArray(value) ? Object.assign([...value], { [name]: other }) : { ...value, [name]: other };
    for (const other of wrong) yield put(other);
    for (const other of broken(member, wrong)) yield put(other);
  }
}

test("a report is believed when every part of it has its shape", () => {
  assert.ok(isChainReport(report));
  assert.ok(isChainReport({ ...report, selected: null }));
  assert.ok(isChainReport({ ...report, selected: { ...selected, lines: [{ ...line, stream: station }] } }));
});

test("a report with any one part of another type is not", () => {
  const all = [...broken(report, [undefined, { toString: "x" }, Symbol("x"), [[]]])];
  assert.ok(all.length > 60);
  for (const one of all) assert.ok(!isChainReport(one));
  for (const one of [null, undefined, 7, "x", [], {}]) assert.ok(!isChainReport(one));
});

test("a report too long to show is not believed", () => {
  assert.ok(!isChainReport({ ...report, title: "x".repeat(1_000_001) }));
  assert.ok(!isChainReport({ ...report, selected: { ...selected, lines: Array(5001).fill(line) } }));
  assert.ok(!isChainReport({ ...report, selected: { ...selected, id: 2 ** 60 } }));
});

test("a key is a key with all its modifiers", () => {
  const key = {
    key: "c",
    code: "KeyC",
    keyCode: 67,
    ctrlKey: true,
    altKey: false,
    shiftKey: true,
    metaKey: false,
  };
  assert.ok(isKey(key));
  for (const one of broken(key, [undefined, {}])) assert.ok(!isKey(one));
});

test("a view is a short text of events and a span, and nothing that could be anything else", () => {
  for (const one of ["", "ns=-5..7", "event=1&event=&ns=1..2"]) assert.ok(isView(one));
  for (const one of [null, 7, ["ns=1..2"], "<b>", "a b", "ns=%20", "a\nb", "1".repeat(1001)])
    assert.ok(!isView(one));
});
