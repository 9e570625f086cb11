/** What Python worked out about a trace; the keys are those of `neuron_nbprof/explorer/answers.py`. */
export interface Answers {
  insights: Answer<Insights>;
  gaps: Answer<Gaps>;
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

export function isAbsent<T extends object>(answer: Answer<T>): answer is Absent {
  return "absent" in answer;
}

/** How grave an insight is, in a word and in a shape: never in colour alone. */
export function severity(name: string): { word: string; shape: string; kind: string } {
  if (name === "error") return { word: "Error", shape: "■", kind: "error" };
  if (name === "warning") return { word: "Warning", shape: "▲", kind: "warning" };
  return { word: "Info", shape: "●", kind: "info" };
}
