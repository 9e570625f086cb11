import { Counter } from "./counters.ts";
import type { ColumnPlace, Meta } from "./meta.ts";
import { EventTable } from "./events.ts";
import { Links } from "./links.ts";
import { Trace } from "./trace.ts";

const ARRAYS = {
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  i8: BigInt64Array,
  f8: Float64Array,
} as const;
type Wire = Uint8Array | Uint16Array | Uint32Array | BigInt64Array | Float64Array;

/** A duration that does not fit 32 bits; its value stands in the escape table. */
const ESCAPED = 0xffffffff;

/** Rebuild the exact columns; `block` holds them one after the other, as `meta.columns` says. */
export function decode(meta: Meta, block: ArrayBuffer): Trace {
  const column = (name: string): Wire => view(meta.columns[name], name, block);
  const events = new EventTable({
    start: starts(column("start") as Uint32Array, column("block_row"), column("block_base") as BigInt64Array),
    dur: durations(column("dur") as Uint32Array, column("long_row"), column("long_dur") as BigInt64Array),
    name: column("name") as Uint16Array | Uint32Array,
    category: column("category") as Uint8Array | Uint16Array,
    id: column("id") as Uint32Array,
    colour: column("colour") as Uint8Array,
    rowPtr: column("row_ptr") as Uint32Array,
  });
  const links = new Links(
    column("edge_offsets") as Uint32Array,
    column("edge_targets") as Uint32Array,
    column("edge_rule") as Uint8Array,
    column("edge_key") as BigInt64Array,
    meta.rules.map((rule) => rule.owner),
  );
  const texts = column("args") as Uint8Array;
  const places = column("args_offsets") as Uint32Array;
  const args = (row: number) => new TextDecoder().decode(texts.subarray(places[row], places[row + 1]));
  const here = (row: number) => row < (meta.args_until ?? Infinity);
  return new Trace(meta, events, links, args, here, counters(meta, block, events.last));
}

function counters({ counters: infos, columns }: Meta, block: ArrayBuffer, last: number): Counter[] {
  if (!infos.length) return [];
  const times = view(columns.counter_time, "counter_time", block) as BigInt64Array;
  const values = view(columns.counter_value, "counter_value", block) as Float64Array;
  let from = 0;
  return infos.map((info) => {
    const to = from + info.samples;
    const time = Float64Array.from(times.subarray(from, to), Number);
    const counter = new Counter(info, time, values.subarray(from, to), last);
    from = to;
    return counter;
  });
}

function view(place: ColumnPlace | undefined, name: string, block: ArrayBuffer): Wire {
  const make = place && ARRAYS[place[0] as keyof typeof ARRAYS];
  if (!place || !make) throw new Error(`The column "${name}" is missing or has an unknown type.`);
  return new make(block, place[1], place[2]);
}

/** Nanoseconds as doubles: exact, because the encoder refuses times beyond 2^53 from the origin. */
function starts(
  offset: Uint32Array,
  blockRow: ArrayLike<number | bigint>,
  base: BigInt64Array,
): Float64Array {
  const start = new Float64Array(offset.length);
  for (let block = 0; block < base.length; block++) {
    const from = Number(base[block]);
    const end = block + 1 < base.length ? Number(blockRow[block + 1]) : offset.length;
    for (let i = Number(blockRow[block]); i < end; i++) start[i] = from + offset[i];
  }
  return start;
}

function durations(short: Uint32Array, row: ArrayLike<number | bigint>, long: BigInt64Array): Float64Array {
  const dur = Float64Array.from(short);
  for (let k = 0; k < long.length; k++) {
    const i = Number(row[k]);
    if (short[i] !== ESCAPED) throw new Error("The table of long durations does not fit the events.");
    dur[i] = Number(long[k]);
  }
  return dur;
}
