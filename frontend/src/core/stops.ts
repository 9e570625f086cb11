import type { Line } from "./chain.ts";
import { Lane } from "./meta.ts";
import type { Trace } from "./trace.ts";

/** The stop of a line after an event (1) or before it (-1), or undefined at its ends. */
export function stopBeside(trace: Trace, line: Line, row: number, by: number): number | undefined {
  const stations = stops(line);
  const { events } = trace;
  const before = (other: number) => trace.lane(other) * 1e18 + events.start[other];
  const at = stations.findIndex((rows) => rows.includes(row));
  // An event between two stations goes to the nearest one in the wanted direction.
  const next = stations.findIndex(([other]) => before(other) > before(row));
  const between = by > 0 ? next : (next < 0 ? stations.length : next) - 1;
  return stations[at < 0 ? between : at + by]?.[0];
}

/** Rows of each stop on the way through a line, the framework's view of the execution after its dispatch. */
function stops(line: Line): number[][] {
  const stations = line.stations.map((station) => ({ lane: station.lane, rows: station.rows }));
  if (line.stream !== null) stations.push({ lane: Lane.Stream, rows: [line.stream] });
  return stations.sort((a, b) => a.lane - b.lane).map(({ rows }) => rows);
}
