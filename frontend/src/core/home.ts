import { robustRange } from "./range.ts";
import type { Trace } from "./trace.ts";
import { Viewport } from "./viewport.ts";

/** Work in less than this share of the trace is shown larger at first. */
const LITTLE = 0.75;

/** The time of a trace, of which at first only that is shown in which operators run. */
export function viewportOf(trace: Trace): Viewport {
  const { events, counters } = trace;
  if (!events.count && counters.length) {
    const first = Math.min(...counters.map(({ begin }) => begin[0]));
    const last = Math.max(...counters.map(({ time }) => time[time.length - 1]));
    return new Viewport(first, last);
  }
  const viewport = new Viewport(events.first, events.last, robustRange(events));
  showWork(trace, viewport);
  return viewport;
}

/** A profiler's step may be much longer than the work in it. */
function showWork({ events }: Trace, viewport: Viewport): void {
  const [from, to] = viewport.home;
  let first = Infinity;
  let last = -Infinity;
  for (let i = 0; i < events.count; i++) {
    if (!events.colour[i] || events.start[i] < from || events.end(i) > to) continue;
    first = Math.min(first, events.start[i]);
    last = Math.max(last, events.end(i));
  }
  if (first <= last && last - first < LITTLE * (to - from)) viewport.focus(first, last);
}
