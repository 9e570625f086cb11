/** The edges of a trace in compressed rows, with the reverse. An edge is named by its position in `targets`. */
export class Links {
  readonly sources: Uint32Array;
  private readonly reverseOffsets: Uint32Array;
  private readonly reverseEdges: Uint32Array;

  constructor(
    readonly offsets: Uint32Array,
    readonly targets: Uint32Array,
    readonly rule: Uint8Array,
    readonly key: BigInt64Array,
    private readonly owners: boolean[],
  ) {
    const rows = offsets.length - 1;
    this.sources = new Uint32Array(targets.length);
    this.reverseOffsets = new Uint32Array(rows + 1);
    for (let row = 0; row < rows; row++) this.sources.fill(row, offsets[row], offsets[row + 1]);
    for (const target of targets) this.reverseOffsets[target + 1]++;
    for (let row = 0; row < rows; row++) this.reverseOffsets[row + 1] += this.reverseOffsets[row];
    const next = this.reverseOffsets.slice(0, rows);
    this.reverseEdges = new Uint32Array(targets.length);
    for (let edge = 0; edge < targets.length; edge++) this.reverseEdges[next[targets[edge]]++] = edge;
  }

  /** Edges that leave an event. */
  outgoing(row: number): number[] {
    const edges: number[] = [];
    for (let edge = this.offsets[row]; edge < this.offsets[row + 1]; edge++) edges.push(edge);
    return edges;
  }

  /** Edges that reach an event. */
  incoming(row: number): Uint32Array {
    return this.reverseEdges.subarray(this.reverseOffsets[row], this.reverseOffsets[row + 1]);
  }

  /** Whether the edge says that an operator owns a call. */
  isOwner(edge: number): boolean {
    return this.owners[this.rule[edge]];
  }
}
