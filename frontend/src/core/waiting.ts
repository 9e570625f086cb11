import { Lane, type RuleInfo } from "./meta.ts";
import type { Line, Station, Wait } from "./chain.ts";
import type { EventTable } from "./events.ts";
import { duration } from "./time.ts";

/** More events than this are not searched for what kept the device busy. */
const MOST_EVENTS = 20_000;

/** What a core did while an execution waited for it, in ns. */
export interface Occupation {
  busy: number;
  idle: number;
  executions: number;
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
  const intervals: [start: number, end: number][] = [];
  let executions = 0;
  for (const rows of rowsOfTracks) {
    let onTrack = 0;
    for (const row of rows) {
      const high = events.rowPtr[row + 1];
      for (let i = events.firstVisible(row, from); i < high && events.start[i] < station.start; i++) {
        if (station.rows.includes(i) || events.end(i) <= from) continue;
        if (intervals.length >= MOST_EVENTS) return null;
        intervals.push([Math.max(from, events.start[i]), Math.min(station.start, events.end(i))]);
        onTrack++;
      }
    }
    // Each physical core writes the same executions once more.
    executions = Math.max(executions, onTrack);
  }
  const busy = unionLength(intervals);
  return { busy, idle: station.start - from - busy, executions };
}

function unionLength(intervals: [start: number, end: number][]): number {
  intervals.sort((a, b) => a[0] - b[0]);
  let length = 0;
  let reached = -Infinity;
  for (const [start, end] of intervals) {
    if (end <= reached) continue;
    length += end - Math.max(start, reached);
    reached = end;
  }
  return length;
}

/** A wait in words; `cores` tells what the device did meanwhile. */
export function waitText(wait: Wait, to: Station, cores: Occupation | null): string {
  if (wait.ns < 0) return `begins ${duration(-wait.ns)} before the one above ends`;
  if (wait.ns === 0) return "at once";
  if (to.lane === Lane.Runtime) return `${duration(wait.ns)} until submitted`;
  if (!cores?.executions) return `${duration(wait.ns)} until it runs`;
  const others = cores.executions === 1 ? "1 earlier execution" : `${cores.executions} earlier executions`;
  const idle = cores.idle > 0 ? `, ${duration(cores.idle)} idle` : "";
  return `${duration(wait.ns)} queued: ${duration(cores.busy)} device busy with ${others}${idle}`;
}

export function ruleText(wait: Pick<Wait, "rule" | "key">, rules: RuleInfo[]): string {
  const key = wait.key ? ` ${wait.key}` : "";
  return `linked by ${rules[wait.rule].text}${key}`;
}

export interface Share {
  kind: "station" | "wait";
  lane: number;
  ns: number;
}

/** The total of a line cut into what happens in each moment of it: stations and, between them, waits. */
export function shares(line: Line): Share[] {
  const found: Share[] = [];
  let reached = line.stations[0].start;
  for (const station of line.stations) {
    if (station.start > reached)
      found.push({ kind: "wait", lane: station.lane, ns: station.start - reached });
    const begin = Math.max(reached, station.start);
    found.push({ kind: "station", lane: station.lane, ns: Math.max(0, station.end - begin) });
    reached = Math.max(reached, station.end);
  }
  return found;
}
