import type { Answers } from "./answers.ts";

/** What Python says about a trace beside its columns; the keys are those of `neuron_nbprof/explorer/columns.py`. */
export interface Meta {
  version: number;
  title: string;
  simulated: boolean;
  device: string;
  source: string;
  /** Unix nanoseconds of time 0, as text: it does not fit a double. */
  origin_ns: string;
  lanes: string[];
  tracks: TrackInfo[];
  /** What the names and categories of events index. */
  strings: string[];
  rules: RuleInfo[];
  counters: CounterInfo[];
  graphs: Graphs;
  operators: OperatorRow[];
  /** How torch's own table agrees with them; empty where that is not known. */
  reconciled: string;
  /** Null where the host gives them when asked. */
  answers: Answers | null;
  notes: Note[];
  /** Source of the profiled cell, where the capture has it. */
  cell: string | null;
  /** Events too far away to be drawn at their time: row, start and duration in ns as text. */
  clamped: [row: number, start: string, dur: string][];
  /** Python frames still running when the profile ended. */
  cut_off: number[];
  /** Arguments of the events from this row on stayed behind; null when all are here. */
  args_until: number | null;
  summary: Summary;
  columns: Record<string, ColumnPlace>;
}

export interface TrackInfo {
  label: string;
  lane: number;
  /** Depth rows of the track: the deepest event's depth plus one. */
  rows: number;
  instance: string;
  process: string;
}

export interface CounterInfo {
  label: string;
  /** "B", "B/s", "%", or as the file says. */
  unit: string;
  source: string;
  /** Each value is the mean over so many ns before its time; 0 when it holds until the next. */
  span_ns: number;
  instance: string;
  process: string;
  samples: number;
  /** Samples too far from the events to be drawn. */
  left_out: number;
}

/** What compiled graphs hold. */
export interface Graphs {
  /** Event, number of its list, and whether the list was recorded with the graph. */
  rows: [row: number, list: number, recorded: boolean][];
  /** How many names there are, and the most frequent with how often each. */
  lists: [names: number, operators: [name: string, calls: number][]][];
}

export interface RuleInfo {
  text: string;
  /** Whether the rule says that an operator owns a call; the others follow one submission. */
  owner: boolean;
  /** Whether it rests on order alone. */
  guessed: boolean;
}

export interface OperatorRow {
  name: string;
  calls: number;
  cpu_us: number;
  neuron_us: number;
  /** Share of the device time of all operators, 0 to 1. */
  share: number;
  /** Whether its host time was measured, among times that a model made. */
  measured: boolean;
  colour: number;
}

export interface Note {
  text: string;
  count: number;
}

export interface Summary {
  device_ns: number;
  host_ns: number;
  copy_ns: number;
  synchronize_ns: number;
  executions: number;
  /** Null when nothing ran on the device. */
  busy_share: number | null;
  events: number;
}

/** NumPy dtype, byte offset and number of elements of one column within the block of columns. */
export type ColumnPlace = [dtype: string, offset: number, length: number];

export const Lane = { Dispatch: 0, Stream: 1, Runtime: 2, Hardware: 3 } as const;
