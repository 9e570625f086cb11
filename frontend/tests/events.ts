import { EventTable } from "../src/core/events.ts";
import { Links } from "../src/core/links.ts";
import type { Meta, TrackInfo } from "../src/core/meta.ts";
import { Trace } from "../src/core/trace.ts";

export interface Row {
  start: number;
  dur: number;
  name?: number;
  colour?: number;
}

/** A table of the given display rows, each a list of its events in order. */
export function table(rows: Row[][]): EventTable {
  const events = rows.flat();
  const rowPtr = [0];
  for (const row of rows) rowPtr.push(rowPtr[rowPtr.length - 1] + row.length);
  return new EventTable({
    start: Float64Array.from(events, (event) => event.start),
    dur: Float64Array.from(events, (event) => event.dur),
    name: Uint16Array.from(events, (event) => event.name ?? 0),
    category: new Uint8Array(events.length),
    id: Uint32Array.from(events, (_, i) => 100 + i),
    colour: Uint8Array.from(events, (event) => event.colour ?? 1),
    rowPtr: Uint32Array.from(rowPtr),
  });
}

export type EdgeList = [source: number, target: number, rule: number, key: string][];

/** Rules in the order of `LinkRule`: 3 (External id) and 5 (enclosing interval) say that an operator owns a call. */
export const OWNERS = [false, false, false, true, false, true, false];

export function links(rows: number, edges: EdgeList): Links {
  const sorted = [...edges].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const offsets = new Uint32Array(rows + 1);
  for (const [source] of sorted) offsets.fill(offsets[source + 1] + 1, source + 1);
  return new Links(
    offsets,
    Uint32Array.from(sorted, (edge) => edge[1]),
    Uint8Array.from(sorted, (edge) => edge[2]),
    BigInt64Array.from(sorted, (edge) => BigInt(edge[3])),
    OWNERS,
  );
}

export function trackOf(label: string, lane: number, rows = 1): TrackInfo {
  return { label, lane, rows, instance: "i-1", process: "42" };
}

export const LANES = ["Dispatch", "Stream", "Runtime", "Hardware"];
const RULES = [
  "nrt_sequence_id",
  "exec flow",
  "correlation",
  "External id",
  "ac2g arrow",
  "enclosing interval",
];

/** A trace of the given tracks, each with one list of events for each of its depth rows. */
export function traceOf(
  tracks: [label: string, lane: number, rows: Row[][]][],
  edges: EdgeList = [],
  strings: string[] = ["a", "b", "c", "d"],
): Trace {
  const events = table(tracks.flatMap(([, , rows]) => rows));
  const rules = [...RULES, "order of submission (guessed)"];
  const meta: Meta = {
    version: 1,
    title: "by hand",
    simulated: false,
    device: "",
    source: "",
    origin_ns: "0",
    lanes: LANES,
    tracks: tracks.map(([label, lane, rows]) => trackOf(label, lane, rows.length)),
    strings,
    rules: rules.map((text, i) => ({ text, owner: OWNERS[i], guessed: i === 6 })),
    counters: [],
    graphs: { rows: [], lists: [] },
    operators: [],
    reconciled: "",
    answers: {
      insights: { count: 0, found: [] },
      gaps: { cores: [], causes: {}, count: 0, gaps: [] },
      critical_path: { absent: "" },
    },
    notes: [],
    cell: null,
    clamped: [],
    cut_off: [],
    args_until: null,
    summary: {
      device_ns: 0,
      host_ns: 0,
      copy_ns: 0,
      synchronize_ns: 0,
      executions: 0,
      busy_share: null,
      events: 0,
    },
    columns: {},
  };
  return new Trace(meta, events, links(events.count, edges), () => "{}");
}

/** Pseudo-random numbers in [0, 1), the same in every run. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
