import type { Graphs } from "./meta.ts";

/** Operators that a compiled graph, or a region around it, holds. */
export interface Held {
  /** Different names; `operators` may be fewer, the most frequent ones. */
  names: number;
  operators: [name: string, calls: number][];
  /** They were recorded with the graph; else they were called one by one. */
  recorded: boolean;
}

/** What compiled graphs hold, by event. */
export function heldBy({ rows, lists }: Graphs): Map<number, Held> {
  return new Map(
    rows.map(([row, list, recorded]) => [
      row,
      { names: lists[list][0], operators: lists[list][1], recorded },
    ]),
  );
}
