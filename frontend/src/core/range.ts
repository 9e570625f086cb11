import type { EventTable } from "./events.ts";
import type { Span } from "./viewport.ts";

/** Starts that are looked at to find where the events are. */
const SAMPLES = 20_000;
/** Share of the events at either end that may lie far away. */
const TAIL = 0.01;
/** What lies farther than this many times the span of the bulk is left out at first. */
const FAR = 4;
/** Of fewer events than this, one is out of place only at this many times their span. */
const FEW = 100;
const FAR_OF_FEW = 50;

/**
 * The span in which the events are: all of it, unless a few lie so far away that the others would shrink to nothing.
 */
export function robustRange(events: EventTable): Span {
  const { first, last, count, start } = events;
  const stride = Math.max(1, Math.floor(count / SAMPLES));
  const sample = Float64Array.from({ length: Math.ceil(count / stride) }, (_, i) => start[i * stride]).sort();
  if (sample.length < 4) return [first, last];
  const cut = Math.max(1, Math.floor(sample.length * TAIL));
  const low = sample[cut];
  const high = sample[sample.length - 1 - cut];
  const room = (count < FEW ? FAR_OF_FEW : FAR) * (high - low);
  if (!room || (first >= low - room && last <= high + room)) return [first, last];
  let from = Infinity;
  let to = -Infinity;
  for (let i = 0; i < count; i++) {
    if (start[i] < low - room || events.end(i) > high + room) continue;
    from = Math.min(from, start[i]);
    to = Math.max(to, events.end(i));
  }
  return from < to ? [from, to] : [first, last];
}

/** How many events lie wholly before `from`, and how many begin after `to`. */
export function outside(events: EventTable, [from, to]: Span): { before: number; after: number } {
  let before = 0;
  let after = 0;
  for (let row = 0; row < events.rows; row++) {
    before += events.firstVisible(row, from) - events.rowPtr[row];
    after += events.rowPtr[row + 1] - Math.max(events.firstFrom(row, to), events.rowPtr[row]);
  }
  return { before, after };
}
