import type { Line } from "./chain.ts";
import { Lane } from "./meta.ts";
import { decimal } from "./time.ts";
import type { Trace } from "./trace.ts";
import { occupation, waitText, type Occupation } from "./waiting.ts";

/** Executions whose operators are looked up, and names that are listed. */
const MOST_OPERATORS = 1000;
const MOST_NAMES = 4;

/** What the cores did during the wait before station `to`; null where that is no wait for the hardware. */
export function coresDuring(trace: Trace, line: Line, to: number): Occupation | null {
  const station = line.stations[to];
  if (line.waits[to - 1].ns <= 0 || station.lane !== Lane.Hardware) return null;
  const tracks = new Map(station.rows.map((row) => [trace.trackIndex(row), trace.rowsBeside(row)]));
  return occupation(trace.events, [...tracks.values()], station, line.stations[to - 1].end);
}

/** The wait before a station in words. */
export interface WaitWords {
  text: string;
  /** The earlier operators that the device was busy with; empty where none is known. */
  busyWith: string;
  cores: Occupation | null;
}

export function waitWords(trace: Trace, line: Line, to: number): WaitWords {
  const cores = coresDuring(trace, line, to);
  const named = cores ? operators(trace, cores.rows) : [];
  const count = named.reduce((sum, [, calls]) => sum + calls, 0);
  const text = waitText(line.waits[to - 1], line.stations[to - 1], line.stations[to], cores, count);
  return { text, busyWith: busyText(named), cores };
}

/** Operators of these executions, with how often each, in order of start. */
function operators(trace: Trace, executions: number[]): [name: string, calls: number][] {
  const counts = new Map<string, number>();
  for (const row of executions.slice(0, MOST_OPERATORS)) {
    const operator = trace.operatorOf(row);
    if (operator === null) continue;
    const name = trace.name(operator);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts];
}

function busyText(named: [name: string, calls: number][]): string {
  const names = named.map(([name, calls]) => (calls > 1 ? `${decimal(calls)} × ${name}` : name));
  if (names.length > MOST_NAMES) names.splice(MOST_NAMES, Infinity, `${names.length - MOST_NAMES} more`);
  return names.length ? `busy with ${names.join(", ")}` : "";
}
