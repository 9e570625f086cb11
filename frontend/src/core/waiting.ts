import { Lane, type RuleInfo } from "./meta.ts";
import type { Line, Station, Wait } from "./chain.ts";
import type { EventTable } from "./events.ts";
import { duration } from "./time.ts";
import { unionLength, type Interval } from "./union.ts";

/** More events than this are not searched for what kept the device busy. */
const MOST_EVENTS = 20_000;

/** What a core did while an execution waited for it, in ns. */
export interface Occupation {
  busy: number;
  idle: number;
  executions: number;
  /** Events of the executions, one for each: those of the core that ran most. */
  rows: number[];
}

/**
 * What the cores of `station` did between `from` and its start: the union of their events over time, and how many
 * executions those were. Null when there are too many events to tell.
 */
export function occupation(
  events: EventTable,
  rowsOfTracks: number[][],
  station: Station,
  from: number,
): Occupation | null {
  const intervals: Interval[] = [];
  // Each physical core writes the same executions once more.
  let most: number[] = [];
  for (const rows of rowsOfTracks) {
    const onTrack: number[] = [];
    for (const row of rows) {
      const high = events.rowPtr[row + 1];
      for (let i = events.firstVisible(row, from); i < high && events.start[i] < station.start; i++) {
        if (station.rows.includes(i) || events.end(i) <= from) continue;
        if (intervals.length >= MOST_EVENTS) return null;
        intervals.push([Math.max(from, events.start[i]), Math.min(station.start, events.end(i))]);
        onTrack.push(i);
      }
    }
    if (onTrack.length > most.length) most = onTrack;
  }
  const busy = unionLength(intervals);
  return { busy, idle: station.start - from - busy, executions: most.length, rows: most };
}

/** A wait in words; `cores` tells what the device did meanwhile, `named` for how many operators. */
export function waitText(
  wait: Wait,
  from: Station,
  to: Station,
  cores: Occupation | null,
  named = 0,
): string {
  if (wait.ns < 0 && to.start < from.start)
    return `clock skew of at least ${duration(from.start - to.start)}: begins before what caused it`;
  if (wait.ns < 0) return `begins ${duration(-wait.ns)} before the one above ends`;
  if (wait.ns === 0) return "at once";
  if (to.lane === Lane.Runtime) return `${duration(wait.ns)} until submitted`;
  if (!cores?.executions) return `${duration(wait.ns)} until it runs`;
  const kind = named === cores.executions ? "operator" : "execution";
  const others = `${cores.executions} earlier ${kind}${cores.executions === 1 ? "" : "s"}`;
  const idle = cores.idle > 0 ? `, ${duration(cores.idle)} idle` : "";
  return `${duration(wait.ns)} queued: ${duration(cores.busy)} device busy with ${others}${idle}`;
}

export function ruleText(wait: Pick<Wait, "rule" | "key">, rules: RuleInfo[]): string {
  const key = wait.key ? ` ${wait.key}` : "";
  return `linked by ${rules[wait.rule].text}${key}`;
}

export interface Share {
  /** A station; or a wait, which may be known to be busy with others or idle. */
  kind: "station" | "wait" | "busy" | "idle";
  lane: number;
  ns: number;
}

/**
 * The total of a line cut into what happens in each moment of it: stations and, between them, waits. The wait for the
 * hardware is cut into busy and idle by `cores`, when that is about the whole of it.
 */
export function shares(line: Line, cores: Occupation | null = null): Share[] {
  const found: Share[] = [];
  let reached = line.stations[0].start;
  for (const station of line.stations) {
    const { lane } = station;
    const ns = station.start - reached;
    const split = cores && lane === Lane.Hardware && cores.busy + cores.idle === ns;
    if (ns > 0 && split) {
      if (cores.busy) found.push({ kind: "busy", lane, ns: cores.busy });
      if (cores.idle) found.push({ kind: "idle", lane, ns: cores.idle });
    } else if (ns > 0) found.push({ kind: "wait", lane, ns });
    const begin = Math.max(reached, station.start);
    found.push({ kind: "station", lane, ns: Math.max(0, station.end - begin) });
    reached = Math.max(reached, station.end);
  }
  return found;
}
