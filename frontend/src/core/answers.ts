/** What Python worked out about a trace; the keys are those of `neuron_nbprof/explorer/answers.py`. */
export interface Answers {
  insights: Answer<Insights>;
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

export function isAbsent<T extends object>(answer: Answer<T>): answer is Absent {
  return "absent" in answer;
}

/** How grave an insight is, in a word and in a shape: never in colour alone. */
export function severity(name: string): { word: string; shape: string; kind: string } {
  if (name === "error") return { word: "Error", shape: "■", kind: "error" };
  if (name === "warning") return { word: "Warning", shape: "▲", kind: "warning" };
  return { word: "Info", shape: "●", kind: "info" };
}
