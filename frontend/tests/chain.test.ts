import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { chain, MAX_NODES, type Chain } from "../src/core/chain.ts";
import { links, type EdgeList } from "./events.ts";

interface Golden {
  events: { lane: number; start: number; dur: number }[];
  edges: EdgeList;
  chains: { event: number; nodes: number[]; edges: [number, number][]; lines: unknown[] }[];
}

const FOLDER = "../tests/golden/chains/";
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));

function walk(golden: Pick<Golden, "events" | "edges">, event: number): Chain {
  const { events } = golden;
  const columns = {
    start: events.map((e) => e.start),
    dur: events.map((e) => e.dur),
    laneOf: (row: number) => events[row].lane,
  };
  return chain(columns, links(events.length, golden.edges), event);
}

test("there are golden chains", () => assert.ok(files.length >= 3));

for (const file of files) {
  const golden = JSON.parse(readFileSync(FOLDER + file, "utf8")) as Golden;
  const edges = links(golden.events.length, golden.edges);
  for (const expected of golden.chains) {
    test(`${file}: the chain of event ${expected.event} is the one walked by hand`, () => {
      const found = walk(golden, expected.event);
      assert.deepEqual(found.nodes, expected.nodes);
      const pairs = found.edges.map((edge) => [edges.sources[edge], edges.targets[edge]]);
      assert.deepEqual(pairs, expected.edges);
      const lines = found.lines.map((line) => ({
        ...line,
        waits: line.waits.map((wait) => ({ ...wait, key: String(wait.key) })),
      }));
      assert.deepEqual(lines, expected.lines);
      assert.equal(found.truncated, false);
    });
    test(`${file}: stations and waits of event ${expected.event} add up`, () => {
      for (const line of walk(golden, expected.event).lines) {
        const stations = line.stations.reduce((sum, station) => sum + station.end - station.start, 0);
        const waits = line.waits.reduce((sum, wait) => sum + wait.ns, 0);
        assert.equal(stations + waits, line.total);
      }
    });
  }
}

test("a chain that reaches too far is cut and says so", () => {
  const count = MAX_NODES + 500;
  const events = Array.from({ length: count }, (_, i) => ({ lane: 0, start: i, dur: 1 }));
  const edges: EdgeList = events.slice(1).map((_, i) => [0, i + 1, 5, "0"]);
  const found = walk({ events, edges }, 0);
  assert.equal(found.truncated, true);
  assert.equal(found.nodes.length, MAX_NODES);
});
