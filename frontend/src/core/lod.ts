import type { EventTable } from "./events.ts";
import { UNIT, type Layout } from "./layout.ts";

/** Bars drawn one by one; a frame with more of them draws the narrower ones into the raster. */
export const MAX_SLICES = 1500;
/** The least opacity of an event that is too short to see: it is never invisible. */
const FAINTEST = 0.45;

export interface View {
  x0: number;
  x1: number;
  /** Display rows [first, end) that are on the screen. */
  rows: [first: number, end: number];
  /** Columns of the raster, one for each device pixel. */
  columns: number;
  /** An event at least this many columns wide is a bar of its own. */
  wide: number;
}

/**
 * One frame: the wide events as bars, all the others as one picture of their density. The cost depends on the rows
 * and columns of the screen and, by its logarithm only, on the number of events.
 */
export class LevelOfDetail {
  /** Events to draw as bars, in row order. */
  slices: number[] = [];
  /** Events that the raster stands for. */
  merged = 0;
  /** RGBA of the raster, from the top line down; `lines` by `columns`. */
  image = new Uint32Array(0);
  lines = 0;
  /** Pixels of the timeline from its top to the top of the raster. */
  top = 0;
  private columns = 0;

  constructor(
    private readonly events: EventTable,
    private readonly layout: Pick<Layout, "rowTop" | "rowBar">,
  ) {}

  /** `palette` holds one colour for each colour index, as bytes R, G, B, A in memory (little endian). */
  draw(view: View, palette: Uint32Array): void {
    const [first, end] = view.rows;
    this.slices = [];
    this.merged = 0;
    this.prepare(view);
    for (let row = first; row < end; row++) {
      const line = this.lineOf(row);
      this.drawRow(row, view, palette, this.image.subarray(line, line + view.columns));
    }
    this.keepWidest(view, palette);
    for (let row = first; row < end; row++) this.thicken(row, view.columns);
  }

  private prepare(view: View): void {
    const [first, end] = view.rows;
    const { rowTop, rowBar } = this.layout;
    this.top = first < end ? rowTop[first] : 0;
    const bottom = first < end ? rowTop[end - 1] + rowBar[end - 1] : UNIT;
    this.lines = (bottom - this.top) / UNIT;
    const size = this.lines * view.columns;
    if (this.image.length === size) this.image.fill(0);
    else this.image = new Uint32Array(size);
    this.columns = view.columns;
  }

  /** Where the first raster line of a display row begins. */
  private lineOf(row: number): number {
    return ((this.layout.rowTop[row] - this.top) / UNIT) * this.columns;
  }

  private drawRow(row: number, view: View, palette: Uint32Array, line: Uint32Array): void {
    const { start, dur, busy, colour } = this.events;
    const { x0, x1, columns } = view;
    const pixel = (x1 - x0) / columns;
    const wide = view.wide * pixel;
    const high = this.events.rowPtr[row + 1];
    let i = this.events.firstVisible(row, x0);
    while (i < high && start[i] < x1) {
      if (dur[i] >= wide) {
        this.slices.push(i++);
        continue;
      }
      const column = Math.min(columns - 1, Math.max(0, Math.floor((start[i] - x0) / pixel)));
      let next = this.events.gallop(x0 + (column + 1) * pixel, i + 1, high);
      if (next - 1 > i && dur[next - 1] >= wide) next--;
      const share = Math.min(1, (busy[next] - busy[i]) / pixel);
      const last = Math.floor((this.events.end(next - 1) - x0) / pixel - 1e-9);
      // The middle event speaks for the colour of all that share the pixel.
      const shade = fade(palette[colour[i + ((next - i) >> 1)]], FAINTEST + (1 - FAINTEST) * share);
      fill(line, column, Math.max(column + 1, last + 1), shade);
      this.merged += next - i;
      i = next;
    }
  }

  /** Leave the widest events as bars and draw the others where they lie in the raster. */
  private keepWidest(view: View, palette: Uint32Array): void {
    if (this.slices.length <= MAX_SLICES) return;
    const { start, dur, colour } = this.events;
    const widths = Float64Array.from(this.slices, (i) => dur[i]).sort();
    const limit = widths[widths.length - MAX_SLICES];
    const pixel = (view.x1 - view.x0) / view.columns;
    const kept: number[] = [];
    let row = view.rows[0];
    for (const i of this.slices) {
      if (dur[i] >= limit && kept.length < MAX_SLICES) {
        kept.push(i);
        continue;
      }
      while (this.events.rowPtr[row + 1] <= i) row++;
      const line = this.image.subarray(this.lineOf(row), this.lineOf(row) + view.columns);
      const from = Math.max(0, Math.floor((start[i] - view.x0) / pixel));
      const to = Math.min(view.columns, Math.floor((this.events.end(i) - view.x0) / pixel));
      fill(line, from, Math.max(from + 1, to), palette[colour[i]]);
      this.merged++;
    }
    this.slices = kept;
  }

  /** Repeat the first line of a row over the height of its bars. */
  private thicken(row: number, columns: number): void {
    const from = this.lineOf(row);
    const lines = this.layout.rowBar[row] / UNIT;
    for (let k = 1; k < lines; k++) this.image.copyWithin(from + k * columns, from, from + columns);
  }
}

/** A colour with its opacity multiplied. */
function fade(rgba: number, opacity: number): number {
  return ((rgba & 0xffffff) | (Math.round((rgba >>> 24) * opacity) << 24)) >>> 0;
}

/** Fill columns, but let a denser neighbour that reaches into the first one stay. */
function fill(line: Uint32Array, from: number, to: number, rgba: number): void {
  if (line[from] >>> 24 <= rgba >>> 24) line[from] = rgba;
  line.fill(rgba, from + 1, to);
}
