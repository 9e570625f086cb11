import { Lane } from "./meta.ts";
import type { Trace } from "./trace.ts";
import { unionLength, type Interval } from "./union.ts";

const MARK = /^cell line (\d+)$/;

/** What one line of the profiled cell did. */
export interface LineCost {
  executions: number;
  /** Time in which the device ran something for it: a union, ns. */
  device: number;
  /** Dispatched events of the line, by start. */
  roots: number[];
}

/** Which line of the profiled cell an event belongs to, from annotations named `cell line 3` on the host. */
export class CellLines {
  readonly costs = new Map<number, LineCost>();
  private readonly lineOfRoot = new Map<number, number>();

  constructor(trace: Trace) {
    const marks = marksByTrack(trace);
    if (!marks.size) return;
    const intervals = new Map<number, Interval[]>();
    for (const root of trace.submissions()) {
      const line = lineAt(marks.get(trace.trackIndex(root)) ?? [], trace.events.start[root]);
      if (line === null) continue;
      const cost = this.costs.get(line) ?? { executions: 0, device: 0, roots: [] };
      cost.roots.push(root);
      this.lineOfRoot.set(root, line);
      this.costs.set(line, cost);
      const hardware = trace.flow(root).filter((row) => trace.lane(row) === Lane.Hardware);
      if (!hardware.length) continue;
      cost.executions++;
      const found = intervals.get(line) ?? [];
      for (const row of hardware) found.push([trace.events.start[row], trace.events.end(row)]);
      intervals.set(line, found);
    }
    for (const [line, found] of intervals) this.costs.get(line)!.device = unionLength(found);
    for (const cost of this.costs.values())
      cost.roots.sort((a, b) => trace.events.start[a] - trace.events.start[b]);
  }

  /** The line of the submission or operator that these events of a chain belong to. */
  lineOf(nodes: number[]): number | null {
    for (const row of nodes) {
      const line = this.lineOfRoot.get(row);
      if (line !== undefined) return line;
    }
    return null;
  }
}

interface Mark {
  line: number;
  start: number;
  end: number;
}

function marksByTrack(trace: Trace): Map<number, Mark[]> {
  const { events, meta } = trace;
  const lines = meta.strings.map((name) => MARK.exec(name)?.[1]);
  const marks = new Map<number, Mark[]>();
  if (!lines.some((line) => line)) return marks;
  for (let i = 0; i < events.count; i++) {
    const line = lines[events.name[i]];
    if (!line || trace.lane(i) !== Lane.Dispatch) continue;
    const track = trace.trackIndex(i);
    const mark = { line: Number(line), start: events.start[i], end: events.end(i) };
    marks.set(track, [...(marks.get(track) ?? []), mark]);
  }
  for (const found of marks.values()) found.sort((a, b) => a.start - b.start);
  return marks;
}

/** The line of the innermost mark around a time. */
function lineAt(marks: Mark[], time: number): number | null {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle].start <= time) low = middle + 1;
    else high = middle;
  }
  for (let i = low - 1; i >= 0; i--) if (marks[i].end > time) return marks[i].line;
  return null;
}
