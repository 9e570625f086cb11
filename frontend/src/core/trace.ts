import { chain, type Chain } from "./chain.ts";
import type { EventTable } from "./events.ts";
import type { Links } from "./links.ts";
import type { Meta, TrackInfo } from "./meta.ts";

/** A decoded trace: events, links, and what their numbers mean. `row` is the position of an event. */
export class Trace {
  private readonly trackOfRow: number[];

  constructor(
    readonly meta: Meta,
    readonly events: EventTable,
    readonly links: Links,
    /** Arguments of an event, as the JSON text that the capture holds. */
    readonly args: (row: number) => string,
  ) {
    this.trackOfRow = meta.tracks.flatMap((track, index) => Array<number>(track.rows).fill(index));
  }

  name(row: number): string {
    return this.meta.strings[this.events.name[row]];
  }

  category(row: number): string {
    return this.meta.strings[this.events.category[row]];
  }

  trackIndex(row: number): number {
    return this.trackOfRow[this.events.rowOf(row)];
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
}
