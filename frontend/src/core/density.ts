import type { Trace } from "./trace.ts";
import { decimal } from "./time.ts";

/** Events of one slice whose names are counted; of more, evenly spread ones are. */
const COUNTED = 20_000;
const NAMED = 5;

/** What a density slice stands for: the events of a display row that begin in a span of time. */
export interface Density {
  events: number;
  /** Names with the most events, and how many each. */
  names: [name: string, events: number][];
  others: number;
  /** Only a sample of the events was looked at; the counts by name are estimates. */
  sampled: boolean;
}

export function density(trace: Trace, row: number, from: number, to: number): Density {
  const { events, meta } = trace;
  const first = events.firstFrom(row, from);
  const end = events.firstFrom(row, to);
  const stride = Math.max(1, Math.ceil((end - first) / COUNTED));
  const counts = new Map<number, number>();
  for (let i = first; i < end; i += stride)
    counts.set(events.name[i], (counts.get(events.name[i]) ?? 0) + stride);
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  return {
    events: end - first,
    names: sorted.slice(0, NAMED).map(([name, count]) => [meta.strings[name], Math.min(count, end - first)]),
    others: Math.max(0, sorted.length - NAMED),
    sampled: stride > 1,
  };
}

/** The lines of a tooltip. */
export function densityText({ events, names, others, sampled }: Density): string[] {
  const about = sampled ? "about " : "";
  return [
    `${decimal(events)} events in this slice`,
    ...names.map(([name, count]) => `${about}${decimal(count)} × ${name}`),
    ...(others ? [`and ${decimal(others)} more ${others === 1 ? "name" : "names"}`] : []),
  ];
}
