import type { EventTable } from "./events.ts";

/** The event of a display row that is nearest to `time`, at most `slop` ns away, or -1. */
export function hit(events: EventTable, row: number, time: number, slop: number): number {
  const low = events.rowPtr[row];
  const high = events.rowPtr[row + 1];
  const next = events.firstFrom(row, time);
  let best = -1;
  let nearest = slop;
  for (const i of [next - 1, next]) {
    if (i < low || i >= high) continue;
    const away = Math.max(events.start[i] - time, time - events.end(i), 0);
    if (away <= nearest) {
      nearest = away;
      best = i;
    }
  }
  return best;
}

/** How many events of a display row begin within [from, to). */
export function countStarts(events: EventTable, row: number, from: number, to: number): number {
  return events.firstFrom(row, to) - events.firstFrom(row, from);
}
