export interface EventColumns {
  /** ns from the origin; ascending within a display row. */
  start: Float64Array;
  /** ns. */
  dur: Float64Array;
  name: Uint16Array | Uint32Array;
  category: Uint8Array | Uint16Array;
  id: Uint32Array;
  /** Index into the palette. */
  colour: Uint8Array;
  /** Events of display row r are rowPtr[r] .. rowPtr[r + 1] - 1. */
  rowPtr: Uint32Array;
}

/**
 * Every event of a trace. Events are sorted by (display row, start) and those of one row do not overlap, so start
 * and end both ascend within a row and everything about a span of time is found by binary search.
 */
export class EventTable {
  readonly start: Float64Array;
  readonly dur: Float64Array;
  readonly name: Uint16Array | Uint32Array;
  readonly category: Uint8Array | Uint16Array;
  readonly id: Uint32Array;
  readonly colour: Uint8Array;
  readonly rowPtr: Uint32Array;
  readonly count: number;
  readonly rows: number;
  /** Busy ns before each event: the busy time of any run of events in two look-ups. */
  readonly busy: Float64Array;
  /** First start and last end of the trace. */
  readonly first: number;
  readonly last: number;

  constructor(columns: EventColumns) {
    this.start = columns.start;
    this.dur = columns.dur;
    this.name = columns.name;
    this.category = columns.category;
    this.id = columns.id;
    this.colour = columns.colour;
    this.rowPtr = columns.rowPtr;
    this.count = this.start.length;
    this.rows = this.rowPtr.length - 1;
    this.busy = new Float64Array(this.count + 1);
    for (let i = 0; i < this.count; i++) this.busy[i + 1] = this.busy[i] + this.dur[i];
    let first = Infinity;
    let last = -Infinity;
    for (let row = 0; row < this.rows; row++) {
      if (this.rowPtr[row] === this.rowPtr[row + 1]) continue;
      first = Math.min(first, this.start[this.rowPtr[row]]);
      last = Math.max(last, this.end(this.rowPtr[row + 1] - 1));
    }
    this.first = this.count ? first : 0;
    this.last = this.count ? last : 0;
  }

  end(i: number): number {
    return this.start[i] + this.dur[i];
  }

  /** Display row of an event. */
  rowOf(i: number): number {
    let low = 0;
    let high = this.rows;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.rowPtr[middle] <= i) low = middle;
      else high = middle;
    }
    return low;
  }

  /** The first event of [low, high) that starts at `time` or later. */
  lowerBound(time: number, low: number, high: number): number {
    const { start } = this;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (start[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** `lowerBound` for an answer that is likely near `low`. */
  gallop(time: number, low: number, high: number): number {
    const { start } = this;
    let step = 1;
    while (low + step < high && start[low + step] < time) {
      low += step;
      step <<= 1;
    }
    return this.lowerBound(time, low, Math.min(high, low + step));
  }

  /** The first event of a display row that ends after `time`, or starts there. */
  firstVisible(row: number, time: number): number {
    const low = this.rowPtr[row];
    const i = this.lowerBound(time, low, this.rowPtr[row + 1]);
    return i > low && this.end(i - 1) > time ? i - 1 : i;
  }

  /** The event with this id, or -1. */
  withId(id: number): number {
    return this.id.indexOf(id);
  }

  /** Every event of this name, by start. */
  named(name: number): number[] {
    const found: number[] = [];
    for (let i = 0; i < this.count; i++) if (this.name[i] === name) found.push(i);
    return found.sort((a, b) => this.start[a] - this.start[b] || a - b);
  }
}
