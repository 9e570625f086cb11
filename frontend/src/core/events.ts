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
  /** Where in time the events of each row lie. */
  private readonly grids: TimeGrid[];
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
    this.grids = Array.from(
      { length: this.rows },
      (_, row) => new TimeGrid(this.start, this.rowPtr[row], this.rowPtr[row + 1]),
    );
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

  /** The first event of a display row that starts at `time` or later; the row's end if there is none. */
  firstFrom(row: number, time: number): number {
    return this.grids[row].firstFrom(time);
  }

  /**
   * Like `firstFrom`, but up to a cell of the grid late: one look-up and no search. -1 where a cell is longer than
   * `most` ns.
   */
  roughlyFrom(row: number, time: number, most: number): number {
    return this.grids[row].roughlyFrom(time, most);
  }

  /** The first event of a display row that ends after `time`, or starts there. */
  firstVisible(row: number, time: number): number {
    const i = this.firstFrom(row, time);
    return i > this.rowPtr[row] && this.end(i - 1) > time ? i - 1 : i;
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

/** Events to a cell of the grid, on average. */
const PER_CELL = 8;

/** Equal cells of time over a run of ascending starts: a look-up and a short search find any time. */
class TimeGrid {
  private readonly from: number;
  private readonly perCell: number;
  /** First event of each cell. */
  private readonly cells: Uint32Array;

  constructor(
    private readonly start: Float64Array,
    private readonly low: number,
    private readonly high: number,
  ) {
    const count = Math.max(1, Math.ceil((high - low) / PER_CELL));
    this.from = high > low ? start[low] : 0;
    const span = high > low ? start[high - 1] - this.from : 0;
    this.perCell = span > 0 ? count / span : 0;
    this.cells = new Uint32Array(count + 2).fill(high);
    let filled = 0;
    for (let i = low; i < high; i++) {
      const cell = this.cell(start[i]);
      while (filled <= cell) this.cells[filled++] = i;
    }
  }

  firstFrom(time: number): number {
    if (this.low === this.high || time <= this.from) return this.low;
    const cell = this.cell(time);
    if (cell >= this.cells.length - 1) return this.high;
    let low = this.cells[cell];
    let high = this.cells[cell + 1];
    const { start } = this;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (start[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  roughlyFrom(time: number, most: number): number {
    if (this.perCell * most < 1) return -1;
    return this.cells[Math.min(this.cells.length - 1, Math.max(0, this.cell(time) + 1))];
  }

  /** The same rounding for events and questions keeps every event within its cell. */
  private cell(time: number): number {
    return Math.floor((time - this.from) * this.perCell);
  }
}
