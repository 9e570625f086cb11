import { chain, MAX_NODES, type Chain } from "./chain.ts";
import type { Counter } from "./counters.ts";
import { heldBy, type Held } from "./graphs.ts";
import type { EventTable } from "./events.ts";
import type { Links } from "./links.ts";
import { Lane, type Meta, type TrackInfo } from "./meta.ts";

/** A decoded trace: events, links, and what their numbers mean. `row` is the position of an event. */
export class Trace {
  private readonly trackOfRow: number[];
  private readonly cutOff: Set<number>;
  private readonly laterArgs = new Map<number, string>();
  private readonly held: Map<number, Held>;

  constructor(
    readonly meta: Meta,
    readonly events: EventTable,
    readonly links: Links,
    private readonly sentArgs: (row: number) => string,
    /** Whether its arguments travelled with an event. */
    private readonly hasSentArgs: (row: number) => boolean = () => true,
    readonly counters: Counter[] = [],
  ) {
    this.trackOfRow = meta.tracks.flatMap((track, index) => Array<number>(track.rows).fill(index));
    this.cutOff = new Set(meta.cut_off);
    this.held = heldBy(meta.graphs);
  }

  /** The same trace with its events described otherwise. */
  with(meta: Meta, events: EventTable): Trace {
    return new Trace(meta, events, this.links, this.sentArgs, this.hasSentArgs, this.counters);
  }

  /** Arguments of an event as the JSON text that the capture holds, or null where they stayed behind. */
  args(row: number): string | null {
    return this.hasSentArgs(row) ? this.sentArgs(row) : (this.laterArgs.get(row) ?? null);
  }

  /** Keep arguments that came later. */
  learnArgs(row: number, text: string): void {
    this.laterArgs.set(row, text);
  }

  name(row: number): string {
    return this.meta.strings[this.events.name[row]];
  }

  /** Whether the profile ended before the event did, so that its duration is only the part that was seen. */
  isCutOff(row: number): boolean {
    return this.cutOff.has(row);
  }

  category(row: number): string {
    return this.meta.strings[this.events.category[row]];
  }

  trackIndex(row: number): number {
    return this.trackOfRow[this.events.rowOf(row)];
  }

  /** Lane of a display row. */
  laneOfRow(row: number): number {
    return this.meta.tracks[this.trackOfRow[row]].lane;
  }

  track(row: number): TrackInfo {
    return this.meta.tracks[this.trackIndex(row)];
  }

  lane(row: number): number {
    return this.track(row).lane;
  }

  /** Display rows of the same track. */
  rowsBeside(row: number): number[] {
    const track = this.trackIndex(row);
    const first = this.trackOfRow.indexOf(track);
    return Array.from({ length: this.meta.tracks[track].rows }, (_, depth) => first + depth);
  }

  /** Events with the name and category of this one, by start. */
  namesakes(row: number): number[] {
    const { name, category } = this.events;
    return this.events.named(name[row]).filter((other) => category[other] === category[row]);
  }

  chain(row: number): Chain {
    const { start, dur } = this.events;
    return chain({ start, dur, laneOf: (node) => this.lane(node) }, this.links, row);
  }

  /** Start of the first operator that leads to work on the device, else of the first event. */
  get firstDispatch(): number {
    const { events } = this;
    let first = Infinity;
    for (const root of this.submissions()) {
      const operator = this.operatorOf(root) ?? root;
      if (this.lane(operator) === Lane.Dispatch) first = Math.min(first, events.start[operator]);
    }
    return first < Infinity ? first : events.first;
  }

  /** First events of submissions: they lead on through the lanes and follow from nothing but their owners. */
  submissions(): number[] {
    const { links, events } = this;
    const leads = new Uint8Array(events.count);
    const follows = new Uint8Array(events.count);
    for (let edge = 0; edge < links.targets.length; edge++) {
      if (links.isOwner(edge)) continue;
      leads[links.sources[edge]] = 1;
      follows[links.targets[edge]] = 1;
    }
    const found: number[] = [];
    for (let row = 0; row < events.count; row++) if (leads[row] && !follows[row]) found.push(row);
    return found;
  }

  /** An event and all that follows from it through the lanes, at most a few thousand. */
  flow(root: number): number[] {
    const found = new Set([root]);
    for (const row of found) {
      if (found.size > MAX_NODES) break;
      for (const edge of this.links.outgoing(row))
        if (!this.links.isOwner(edge)) found.add(this.links.targets[edge]);
    }
    return [...found];
  }

  /** The innermost operator whose submission led to this event, or null. */
  operatorOf(row: number): number | null {
    let root = row;
    for (let hops = 0; hops < MAX_NODES; hops++) {
      const [parent] = this.flowParents(root);
      if (parent === undefined) break;
      root = parent;
    }
    const owner = [...this.links.incoming(root)].find((edge) => this.links.isOwner(edge));
    if (owner !== undefined) return this.links.sources[owner];
    return root !== row && this.lane(root) === Lane.Dispatch ? root : null;
  }

  /** What the compiled graphs hold that are among these events, or lead to `towards`. */
  heldAmong(rows: number[], towards: number): Held[] {
    const leads = (row: number) => this.flow(row).includes(towards);
    return rows.flatMap((row) => {
      const held = this.held.get(row);
      return held && (!held.recorded || leads(row)) ? [held] : [];
    });
  }

  private flowParents(row: number): number[] {
    const edges = [...this.links.incoming(row)].filter((edge) => !this.links.isOwner(edge));
    return edges.map((edge) => this.links.sources[edge]).sort((a, b) => a - b);
  }
}
