import type { Trace } from "./trace.ts";
import { decimal, duration, exactNs } from "./time.ts";
import { unionLength, type Interval } from "./union.ts";
import type { Span } from "./viewport.ts";

/** Events of one measured span that are looked at. */
export const MOST_EVENTS = 2_000_000;
const TOP_NAMES = 8;

export interface Busy {
  label: string;
  /** Time in which at least one event runs: a union, ns. */
  busy: number;
  events: number;
}

export interface Measured {
  span: Span;
  events: number;
  lanes: Busy[];
  tracks: Busy[];
  /** Names with the most time of their own calls in the span, clipped to it; ns. */
  names: { name: string; events: number; time: number }[];
  truncated: boolean;
}

/** What happens within a span: busy time of lanes and tracks as unions, counts, the names with the most time. */
export function measure(trace: Trace, span: Span): Measured {
  const { events, meta } = trace;
  const [from, to] = span;
  const laneIntervals: Interval[][] = meta.lanes.map(() => []);
  const counts = meta.lanes.map(() => 0);
  const names = new Map<number, { events: number; time: number }>();
  const tracks: Busy[] = [];
  let seen = 0;
  let row = 0;
  for (const track of meta.tracks) {
    const intervals: Interval[] = [];
    let count = 0;
    for (const end = row + track.rows; row < end; row++) {
      const high = events.rowPtr[row + 1];
      for (
        let i = events.firstVisible(row, from);
        i < high && events.start[i] < to && seen < MOST_EVENTS;
        i++
      ) {
        const start = Math.max(from, events.start[i]);
        const stop = Math.min(to, events.end(i));
        extend(intervals, start, stop);
        count++;
        seen++;
        const sum = names.get(events.name[i]) ?? { events: 0, time: 0 };
        sum.events++;
        sum.time += stop - start;
        names.set(events.name[i], sum);
      }
    }
    if (count) tracks.push({ label: track.label, busy: unionLength([...intervals]), events: count });
    for (const interval of intervals) laneIntervals[track.lane].push(interval);
    counts[track.lane] += count;
  }
  const lanes = meta.lanes
    .map((label, lane) => ({ label, busy: unionLength(laneIntervals[lane]), events: counts[lane] }))
    .filter((lane) => lane.events);
  const top = [...names]
    .sort((a, b) => b[1].time - a[1].time || b[1].events - a[1].events)
    .slice(0, TOP_NAMES);
  return {
    span,
    events: seen,
    lanes,
    tracks,
    names: top.map(([name, sum]) => ({ name: meta.strings[name], ...sum })),
    truncated: seen >= MOST_EVENTS,
  };
}

/** Add an interval; one that touches the last is joined to it, so that a dense row stays a short list. */
function extend(intervals: Interval[], start: number, end: number): void {
  const last = intervals[intervals.length - 1];
  if (last && start >= last[0] && start <= last[1]) last[1] = Math.max(last[1], end);
  else intervals.push([start, end]);
}

/** The same as text, to be pasted elsewhere. */
export function measuredText(measured: Measured, origin: number): string {
  const [from, to] = measured.span;
  const length = Math.round(to) - Math.round(from);
  const share = (ns: number) => `${decimal((100 * ns) / (to - from), 1)} % of the span`;
  const busy = ({ label, busy, events }: Busy) =>
    `  ${label}: busy ${duration(busy)}, ${share(busy)}, ${decimal(events)} events`;
  return [
    `${duration(length)} (${exactNs(length)}) from ${exactNs(Math.round(from - origin))} to ${exactNs(Math.round(to - origin))} after the first event`,
    `${decimal(measured.events)} events`,
    "lanes",
    ...measured.lanes.map(busy),
    "tracks",
    ...measured.tracks.map(busy),
    "names by time",
    ...measured.names.map(
      ({ name, events, time }) => `  ${name}: ${duration(time)} in ${decimal(events)} events`,
    ),
  ].join("\n");
}
