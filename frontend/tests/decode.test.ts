import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decode } from "../src/core/decode.ts";
import type { Meta } from "../src/core/meta.ts";

interface Golden {
  meta: Meta;
  block: string;
  expected: {
    start: string[];
    dur: string[];
    name: string[];
    category: string[];
    id: number[];
    colour: number[];
    row_ptr: number[];
    edges: [source: number, target: number, rule: number, key: string][];
    args: string[];
    samples: [label: string, time: string[], value: number[]][];
  };
}

const golden = JSON.parse(readFileSync("../tests/golden/columns.json", "utf8")) as Golden;
const bytes = Uint8Array.from(Buffer.from(golden.block, "base64"));
const trace = decode(golden.meta, bytes.buffer);
const { events, links } = trace;
const { expected } = golden;

test("times are exact, beyond 32 bits and before the origin", () => {
  assert.deepEqual(Array.from(events.start, String), expected.start);
  assert.deepEqual(Array.from(events.dur, String), expected.dur);
  assert.ok(expected.dur.some((dur) => BigInt(dur) > 2n ** 32n));
  assert.ok(expected.start.some((start) => start.startsWith("-")));
});

test("names, categories, ids, colours and rows arrive", () => {
  const rows = expected.id.map((_, row) => row);
  assert.deepEqual(
    rows.map((row) => trace.name(row)),
    expected.name,
  );
  assert.deepEqual(
    rows.map((row) => trace.category(row)),
    expected.category,
  );
  assert.deepEqual([...events.id], expected.id);
  assert.deepEqual([...events.colour], expected.colour);
  assert.deepEqual([...events.rowPtr], expected.row_ptr);
});

test("links keep their rule and all digits of their key", () => {
  const found = [...links.targets].map((target, edge) => [
    links.sources[edge],
    target,
    links.rule[edge],
    String(links.key[edge]),
  ]);
  assert.deepEqual(found, expected.edges);
  for (const [edge, target] of links.targets.entries()) assert.ok(links.incoming(target).includes(edge));
});

test("arguments are the text of the capture", () => {
  expected.args.forEach((text, row) => assert.equal(trace.args(row), text));
});

test("samples are exact, each with its counter", () => {
  const found = trace.counters.map(({ info, time, value }) => [
    info.label,
    Array.from(time, String),
    [...value],
  ]);
  assert.deepEqual(found, expected.samples);
});

test("a missing column is named", () => {
  const columns = { ...golden.meta.columns };
  delete columns.dur;
  assert.throws(() => decode({ ...golden.meta, columns }, bytes.buffer), /"dur" is missing/);
});
