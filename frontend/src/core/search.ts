import { duration } from "./time.ts";
import type { Trace } from "./trace.ts";

export interface Query {
  /** A part of the name in any case, or a regular expression. */
  text: string;
  regex: boolean;
  /** Lane number, or null for all. */
  lane: number | null;
  /** Durations in ns; null for no bound. */
  shortest: number | null;
  longest: number | null;
}

export const EVERYTHING: Query = { text: "", regex: false, lane: null, shortest: null, longest: null };

export function isEmpty(query: Query): boolean {
  return !query.text && query.lane === null && query.shortest === null && query.longest === null;
}

/**
 * Rows of the events that a query finds, by start. Names are compared once each, then every event is looked at once.
 * Throws SyntaxError for a regular expression that is none.
 */
export function search(trace: Trace, query: Query): Uint32Array {
  const { events, meta } = trace;
  const matches = matcher(query);
  const named = Uint8Array.from(meta.strings, (name) => (matches(name) ? 1 : 0));
  const shortest = query.shortest ?? -Infinity;
  const longest = query.longest ?? Infinity;
  const found: number[] = [];
  for (let row = 0; row < events.rows; row++) {
    if (query.lane !== null && trace.laneOfRow(row) !== query.lane) continue;
    for (let i = events.rowPtr[row]; i < events.rowPtr[row + 1]; i++) {
      if (named[events.name[i]] && events.dur[i] >= shortest && events.dur[i] <= longest) found.push(i);
    }
  }
  return Uint32Array.from(found).sort((a, b) => events.start[a] - events.start[b] || a - b);
}

function matcher({ text, regex }: Query): (name: string) => boolean {
  if (regex) {
    const pattern = new RegExp(text, "iu");
    return (name) => pattern.test(name);
  }
  const wanted = text.toLowerCase();
  return (name) => name.toLowerCase().includes(wanted);
}

const UNITS: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9 };

/** A duration as people write it, such as "20 us" or "1.5ms", in ns; µs without a unit. Null when it is none. */
export function parseDuration(text: string): number | null {
  const match = /^\s*([\d,]*\.?\d+)\s*([a-zµμ]*)\s*$/i.exec(text);
  const unit = match && (match[2] ? UNITS[match[2].toLowerCase()] : UNITS.us);
  return match && unit ? Number(match[1].replaceAll(",", "")) * unit : null;
}

/** Why nothing can be said to an ill-formed query, or null. */
export function complaint(query: Query): string | null {
  try {
    matcher(query);
  } catch {
    return "This is no regular expression.";
  }
  if (query.shortest !== null && query.longest !== null && query.shortest > query.longest)
    return `Nothing is at least ${duration(query.shortest)} and at most ${duration(query.longest)} long.`;
  return null;
}
