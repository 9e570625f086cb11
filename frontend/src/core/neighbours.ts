import type { Trace } from "./trace.ts";

/** An event one link away. */
export interface Neighbour {
  row: number;
  /** From the end of the earlier event to the start of the later one, ns; null where one owns the other. */
  gap: number | null;
  rule: number;
}

/** Neighbours of one name and rule, listed as one line when there are many. */
export interface Bundle {
  name: string;
  rule: number;
  neighbours: Neighbour[];
}

/** From so many on, neighbours of one name and rule are one line. */
const MANY = 6;

/** What leads to an event directly. */
export function upstream(trace: Trace, row: number): Bundle[] {
  const edges = [...trace.links.incoming(row)];
  return bundles(
    trace,
    edges.map((edge) => neighbour(trace, edge, trace.links.sources[edge])),
  );
}

/** What follows from an event directly. */
export function downstream(trace: Trace, row: number): Bundle[] {
  const edges = trace.links.outgoing(row);
  return bundles(
    trace,
    edges.map((edge) => neighbour(trace, edge, trace.links.targets[edge])),
  );
}

function neighbour({ events, links }: Trace, edge: number, row: number): Neighbour {
  const gap = links.isOwner(edge)
    ? null
    : events.start[links.targets[edge]] - events.end(links.sources[edge]);
  return { row, gap, rule: links.rule[edge] };
}

function bundles(trace: Trace, neighbours: Neighbour[]): Bundle[] {
  const found = new Map<string, Bundle>();
  const { start } = trace.events;
  for (const one of neighbours.sort((a, b) => start[a.row] - start[b.row] || a.row - b.row)) {
    const key = `${trace.events.name[one.row]} ${one.rule}`;
    const bundle = found.get(key) ?? { name: trace.name(one.row), rule: one.rule, neighbours: [] };
    bundle.neighbours.push(one);
    found.set(key, bundle);
  }
  return [...found.values()].flatMap((bundle) =>
    bundle.neighbours.length >= MANY
      ? [bundle]
      : bundle.neighbours.map((one) => ({ ...bundle, neighbours: [one] })),
  );
}
