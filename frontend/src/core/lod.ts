import type { EventTable } from "./events.ts";
import { UNIT, type Layout } from "./layout.ts";

/** Bars drawn one by one; a frame with more of them draws the narrower ones into the raster. */
export const MAX_SLICES = 700;
/** The least opacity of an event that is too short to see: it is never invisible. */
const FAINTEST = 0.45;

/** Cells of the grid to a pixel from which on events are a crowd. */
const CROWD = 4;

export interface View {
  x0: number;
  x1: number;
  /** Display rows that are on the screen, from the top down. */
  rows: readonly number[];
  /** Columns of the raster, one for each device pixel. */
  columns: number;
  /** An event at least this many columns wide is a bar of its own. */
  wide: number;
}

/**
 * One frame: the wide events as bars, all the others as one picture of their density. The cost depends on the rows
 * and columns of the screen and hardly on the number of events.
 */
export class LevelOfDetail {
  /** Events to draw as bars, row by row, and the display row of each. */
  slices: number[] = [];
  sliceRows: number[] = [];
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
    this.slices = [];
    this.sliceRows = [];
    this.merged = 0;
    this.prepare(view);
    for (const row of view.rows) this.drawRow(row, view, palette);
    this.keepWidest(view, palette);
    for (const row of view.rows) this.thicken(row);
  }

  private prepare({ rows, columns }: View): void {
    const { rowTop, rowBar } = this.layout;
    const last = rows[rows.length - 1];
    this.top = rows.length ? rowTop[rows[0]] : 0;
    const bottom = rows.length ? rowTop[last] + rowBar[last] : UNIT;
    this.lines = (bottom - this.top) / UNIT;
    const size = this.lines * columns;
    if (this.image.length === size) this.image.fill(0);
    else this.image = new Uint32Array(size);
    this.columns = columns;
  }

  /** The first raster line of a display row. */
  private lineOf(row: number): Uint32Array {
    const from = ((this.layout.rowTop[row] - this.top) / UNIT) * this.columns;
    return this.image.subarray(from, from + this.columns);
  }

  private drawRow(row: number, view: View, palette: Uint32Array): void {
    const { events } = this;
    // Durations are read as differences of `busy`, which is at hand.
    const { start, busy, colour } = events;
    const { x0, x1, columns } = view;
    const line = this.lineOf(row);
    const pixel = (x1 - x0) / columns;
    const perPixel = 1 / pixel;
    const wide = view.wide * pixel;
    const high = events.rowPtr[row + 1];
    let i = events.firstVisible(row, x0);
    while (i < high && start[i] < x1) {
      if (busy[i + 1] - busy[i] >= wide) {
        this.slices.push(i++);
        this.sliceRows.push(row);
        continue;
      }
      const column = Math.min(columns - 1, Math.max(0, Math.floor((start[i] - x0) * perPixel)));
      const edge = x0 + (column + 1) * pixel;
      let next = i + 1;
      if (next < high && start[next] < edge) {
        // In a crowd a quarter of a pixel is not looked at: each array that is not searched is a cache miss less.
        const rough = events.roughlyFrom(row, edge, pixel / CROWD);
        next = Math.max(next, rough < 0 ? events.firstFrom(row, edge) : rough);
        if (busy[next] - busy[next - 1] >= wide) next--;
      }
      const share = Math.min(1, (busy[next] - busy[i]) * perPixel);
      const long = busy[next] - busy[next - 1];
      const last =
        long < pixel / CROWD ? column : Math.floor((start[next - 1] + long - x0) * perPixel - 1e-9);
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
    const keptRows: number[] = [];
    this.slices.forEach((i, at) => {
      const row = this.sliceRows[at];
      if (dur[i] >= limit && kept.length < MAX_SLICES) {
        kept.push(i);
        keptRows.push(row);
        return;
      }
      const from = Math.max(0, Math.floor((start[i] - view.x0) / pixel));
      const to = Math.min(view.columns, Math.floor((start[i] + dur[i] - view.x0) / pixel));
      fill(this.lineOf(row), from, Math.max(from + 1, to), palette[colour[i]]);
      this.merged++;
    });
    this.slices = kept;
    this.sliceRows = keptRows;
  }

  /** Repeat the first line of a row over the height of its bars. */
  private thicken(row: number): void {
    const { columns } = this;
    const from = ((this.layout.rowTop[row] - this.top) / UNIT) * columns;
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
  if (to > from + 1) line.fill(rgba, from + 1, to);
}
