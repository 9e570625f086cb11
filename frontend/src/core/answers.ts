import type { EventTable } from "./events.ts";
import { decimal, duration } from "./time.ts";

/** What Python worked out about a trace; the keys are those of `neuron_nbprof/explorer/answers.py`. */
export interface Answers {
  insights: Answer<Insights>;
  gaps: Answer<Gaps>;
  critical_path: Answer<CriticalPath>;
}

/** What was worked out, or the sentence that says why it was not. */
export type Answer<T> = T | Absent;

export interface Absent {
  absent: string;
}

export interface Insights {
  /** How many there are; `found` holds the gravest. */
  count: number;
  found: Insight[];
}

export interface Insight {
  id: string;
  severity: string;
  sentence: string;
  /** Ids of events that show it. */
  evidence: number[];
  remedy: string;
  saving_us: number | null;
}

export interface Gaps {
  cores: CoreTotals[];
  /** What each cause that occurs means. */
  causes: Record<string, string>;
  /** How many there are; `gaps` holds the longest. */
  count: number;
  gaps: Gap[];
}

/** Busy and idle add up to the window; besides these there is the time of each cause, in µs too. */
export interface CoreTotals {
  core: string;
  window_us: number;
  busy_us: number;
  idle_us: number;
  idle_share: number | null;
  longest_us: number;
  [cause: string]: number | string | null;
}

/** An idle interval of one cause. */
export interface Gap {
  core: string;
  cause: string;
  start_ns: number;
  dur_ns: number;
  /** The operator whose chain ended it, and the hardware row that did: ids. */
  event: number | null;
  name: string | null;
  execution: number | null;
}

export interface CriticalPath {
  /** How many recorded steps it leads through (0: all of the trace), and how long they take together. */
  steps: number;
  whole_us: number;
  /** The largest first. */
  lanes: { lane: string; dur_us: number; share: number; step_without_us: number }[];
  /** How many there are; `segments` holds the longest. */
  count: number;
  segments: Segment[];
  /** How many events hold it; `events` has the ids of those that do for longest. */
  event_count: number;
  events: number[];
}

/** A piece of the path; what no event holds has no `event`. */
export interface Segment {
  step: string;
  lane: string;
  name: string;
  event: number | null;
  start_ns: number;
  dur_ns: number;
  share: number;
}

/** Several profiles beside the first one: numbers per recorded step, and what they say. */
export interface Compared {
  baseline: string;
  rows: Version[];
  words: string[];
  /** What each further version saves of the baseline's time, and what that is made of. */
  savings: Version[];
  operators: Differences[];
}

/** Columns of one version by their names in Python. */
export type Version = Record<string, string | number | null>;

/** Operators of a version beside those of the baseline, the largest difference first. */
export interface Differences {
  version: string;
  /** How many there are; `rows` holds the first. */
  count: number;
  rows: Record<string, string | number | null>[];
}

export function isAbsent<T extends object>(answer: Answer<T>): answer is Absent {
  return "absent" in answer;
}

/** How grave an insight is, in a word and in a shape: never in colour alone. */
export function severity(name: string): { word: string; shape: string; kind: string } {
  if (name === "error") return { word: "Error", shape: "■", kind: "error" };
  if (name === "warning") return { word: "Warning", shape: "▲", kind: "warning" };
  return { word: "Info", shape: "●", kind: "info" };
}

/** Rows of the events with these ids, in the same order. */
export function rowsOf(events: EventTable, ids: number[]): number[] {
  const rows = new Map<number, number>();
  const wanted = new Set(ids);
  for (let row = 0; row < events.count; row++) if (wanted.has(events.id[row])) rows.set(events.id[row], row);
  return ids.filter((id) => rows.has(id)).map((id) => rows.get(id)!);
}

/** What the path is mostly made of, and what would be left without that. */
export function ifFree({ steps, whole_us, lanes }: CriticalPath): string {
  const [{ lane, dur_us, share, step_without_us }] = lanes;
  const what = steps > 1 ? `${decimal(steps)} steps together` : steps ? "the step" : "the trace";
  const [whole, held, left] = [whole_us, dur_us, step_without_us].map((us) => duration(us * 1000));
  if (lanes.length === 1) return `All of the ${whole} of ${what} is ${lane}.`;
  return (
    `Of the ${whole} of ${what}, ${lane} holds the path for ${held} (${decimal(100 * share)} %); ` +
    `were that free, ${what} would take ${left} at best (another path may then be the longest).`
  );
}
