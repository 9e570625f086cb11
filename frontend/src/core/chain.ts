import { Lane } from "./meta.ts";
import type { Links } from "./links.ts";

/** A chain that reaches more events than this is cut, and says so. */
export const MAX_NODES = 2000;

/** Where a submission spends time: one event, or all the events of one execution counted once. Times in ns. */
export interface Station {
  lane: number;
  rows: number[];
  start: number;
  end: number;
}

/** From the end of one station to the start of the next, in ns; negative when the next began earlier. */
export interface Wait {
  ns: number;
  rule: number;
  key: bigint;
}

/** One submission: its stations and the waits between them add up to `total` exactly. */
export interface Line {
  stations: Station[];
  waits: Wait[];
  /** How the framework sees the execution: shown, never added. */
  stream: number | null;
  total: number;
}

export interface Chain {
  event: number;
  nodes: number[];
  edges: number[];
  lines: Line[];
  truncated: boolean;
}

export interface ChainEvents {
  readonly start: ArrayLike<number>;
  readonly dur: ArrayLike<number>;
  laneOf(row: number): number;
}

/**
 * The chain of one event: climb to the first event of each submission that it belongs to, then take all that follows
 * from there and every operator that owns it. `neuron_nbprof.trace.chains` walks the same way.
 */
export function chain(events: ChainEvents, links: Links, event: number): Chain {
  return new Walk(events, links, event).chain();
}

type Neighbours = (row: number) => number[];
const ascending = (a: number, b: number) => a - b;

class Walk {
  private truncated = false;

  constructor(
    private readonly events: ChainEvents,
    private readonly links: Links,
    private readonly event: number,
  ) {}

  chain(): Chain {
    const up = this.reach([this.event], this.flowParents);
    const roots = up.filter((row) => !this.flowParents(row).length).sort(ascending);
    const found = new Set([...this.reach(roots, this.children), ...this.reach(roots, this.owners), ...up]);
    const nodes = [...found].sort(ascending);
    const edges = nodes.flatMap((row) =>
      this.links.outgoing(row).filter((edge) => found.has(this.links.targets[edge])),
    );
    const lines = this.submissions(nodes).map((root) => this.line(root));
    return { event: this.event, nodes, edges, lines, truncated: this.truncated };
  }

  private readonly flowParents: Neighbours = (row) => this.parents(row, false);
  private readonly owners: Neighbours = (row) => this.parents(row, true);
  private readonly children: Neighbours = (row) =>
    this.links.outgoing(row).map((edge) => this.links.targets[edge]);
  private readonly flowChildren: Neighbours = (row) =>
    this.links
      .outgoing(row)
      .filter((edge) => !this.links.isOwner(edge))
      .map((edge) => this.links.targets[edge]);

  private parents(row: number, owners: boolean): number[] {
    const edges = [...this.links.incoming(row)].filter((edge) => this.links.isOwner(edge) === owners);
    return edges.map((edge) => this.links.sources[edge]).sort(ascending);
  }

  /** Breadth first, neighbours in row order, at most `MAX_NODES` rows. */
  private reach(begin: number[], neighbours: Neighbours): number[] {
    const found = [...begin];
    const seen = new Set(found);
    // What is found on the way is walked in its turn.
    for (const row of found) {
      for (const neighbour of neighbours(row)) {
        if (seen.has(neighbour)) continue;
        if (found.length >= MAX_NODES) {
          this.truncated = true;
          return found;
        }
        seen.add(neighbour);
        found.push(neighbour);
      }
    }
    return found;
  }

  /** First rows of submissions, by start: what leads on through the lanes, or ends the chain at once. */
  private submissions(nodes: number[]): number[] {
    return nodes
      .filter((row) => !this.flowParents(row).length)
      .filter((row) => this.flowChildren(row).length || !this.links.outgoing(row).length)
      .sort(this.byStart);
  }

  private readonly byStart = (a: number, b: number) => this.events.start[a] - this.events.start[b] || a - b;

  private line(root: number): Line {
    const rows = this.reach([root], this.flowChildren);
    const lane = (wanted: number) => rows.filter((row) => this.events.laneOf(row) === wanted);
    const stations: Station[] = [];
    const dispatch = this.dispatchRow(root);
    const runtime = lane(Lane.Runtime).sort(this.byStart);
    const hardware = lane(Lane.Hardware).sort(ascending);
    if (dispatch !== null) stations.push(this.station(Lane.Dispatch, [dispatch]));
    if (runtime.length) stations.push(this.station(Lane.Runtime, [runtime[0]]));
    if (hardware.length) stations.push(this.station(Lane.Hardware, hardware));
    if (!stations.length) stations.push(this.station(this.events.laneOf(root), [root]));
    const waits = stations.slice(1).map((after, i) => this.wait(stations[i], after));
    const stream = lane(Lane.Stream).sort(this.byStart)[0] ?? null;
    return { stations, waits, stream, total: stations[stations.length - 1].end - stations[0].start };
  }

  /** The operator of a submission: the clicked one if it owns it, else the innermost owner. */
  private dispatchRow(root: number): number | null {
    const owners = this.reach([root], this.owners).slice(1);
    if (owners.includes(this.event)) return this.event;
    if (owners.length) return owners[0];
    return this.events.laneOf(root) === Lane.Dispatch ? root : null;
  }

  private station(lane: number, rows: number[]): Station {
    const { start, dur } = this.events;
    const begins = rows.map((row) => start[row]);
    const ends = rows.map((row) => start[row] + dur[row]);
    return { lane, rows, start: Math.min(...begins), end: Math.max(...ends) };
  }

  /** The wait between two stations, with the rule of the edge that reaches the later one. */
  private wait(before: Station, after: Station): Wait {
    const incoming = [...this.links.incoming(after.rows[0])];
    const { rule, key } = this.links;
    const edge = incoming.reduce((best, edge) => (rule[edge] < rule[best] ? edge : best));
    return { ns: after.start - before.end, rule: rule[edge], key: key[edge] };
  }
}
