import type { TrackInfo } from "./meta.ts";

/** All heights are even: the density raster draws in units of two pixels. */
export const UNIT = 2;
const HEADER = 22;
const FOOTER = 4;
const GAP = 6;
/** Rows, from the most comfortable; the first that lets all groups be seen at once is taken. */
const ROWS = [
  { height: 22, gap: 4 },
  { height: 18, gap: 2 },
  { height: 14, gap: 2 },
];
/** Where not even the flattest fit, rows are still high enough for their labels, and the lanes scroll. */
const SCROLLED = ROWS[2];
/** A track of more depth rows than `DEEP` is folded at first; a folded one shows the outer `FOLDED` of them. */
export const DEEP = 10;
export const FOLDED = 3;

/** Heights that a reader may give to a row of events, and to a counter, which has no rows. */
export const ROW_HEIGHTS = { least: 10, most: 120 };
export const COUNTER_HEIGHTS = { least: 24, most: 240 };
const COUNTER_HEIGHT = 48;

/** A titled part of the timeline: a lane, or the tracks of one core, process, thread or stream. */
export interface Group {
  title: string;
  /** Number of the lane before its title, where groups are lanes. */
  number?: number;
  /** Indices of its tracks, from the top down. */
  tracks: number[];
}

export interface GroupBox extends Group {
  top: number;
  height: number;
  boxes: TrackBox[];
}

export interface TrackBox {
  track: number;
  label: string;
  top: number;
  height: number;
  /** Depth rows that folding hides. */
  hidden: number;
}

/** Height that shows all lanes without scrolling. */
export const FULL_HEIGHT = 500;

/** Where each group, track and display row lies, in CSS pixels from the top of the timeline. */
export class Layout {
  groups: GroupBox[] = [];
  height = 0;
  /** Display rows that have a place, from the top down. */
  rows: number[] = [];
  /** By display row; NaN for a row that has no place. */
  readonly rowTop: Float64Array;
  /** Height of the bars of a display row. */
  readonly rowBar: Float64Array;
  readonly rowTrack: Int32Array;
  /** Tracks that show only their outer rows. */
  readonly folded: Set<number>;
  /** Height of each row of the tracks that the reader has resized. */
  private heights: ReadonlyMap<number, number> = new Map();
  private readonly firstRow: number[] = [];

  constructor(
    groups: Group[],
    private readonly tracks: TrackInfo[],
  ) {
    const rows = tracks.reduce((sum, track) => sum + track.rows, 0);
    this.rowTop = new Float64Array(rows);
    this.rowBar = new Float64Array(rows);
    this.rowTrack = Int32Array.from(tracks.flatMap((track, index) => Array<number>(track.rows).fill(index)));
    let row = 0;
    for (const track of tracks) {
      this.firstRow.push(row);
      row += track.rows;
    }
    this.folded = new Set(tracks.flatMap((track, index) => (track.rows > DEEP ? [index] : [])));
    this.arrange(groups);
  }

  /** Give every row of these groups its place; tracks that are in none of them have none. */
  arrange(groups: Group[], heights: ReadonlyMap<number, number> = this.heights): void {
    this.heights = heights;
    this.rows = [];
    this.rowTop.fill(NaN);
    const shown = groups.flatMap(({ tracks }) => tracks);
    const frame = groups.length * (HEADER + FOOTER + GAP);
    const total = (size: number) => shown.reduce((sum, track) => sum + this.heightOf(track, size), frame);
    const size = ROWS.find(({ height }) => total(height) <= FULL_HEIGHT) ?? SCROLLED;
    let y = 0;
    this.groups = groups.map((group) => {
      const top = y;
      y += HEADER;
      const boxes = group.tracks.map((track) => {
        const box = this.place(track, y, size);
        y += box.height;
        return box;
      });
      y += boxes.length ? FOOTER : 0;
      const height = y - top;
      y += GAP;
      return { ...group, top, height, boxes };
    });
    this.height = Math.max(0, y - GAP);
  }

  private place(track: number, top: number, size: (typeof ROWS)[number]): TrackBox {
    const { label, rows } = this.tracks[track];
    const shown = this.shownRows(track);
    const { gap } = size;
    const height = this.rowHeight(track, size.height);
    for (let depth = 0; depth < shown; depth++) {
      const row = this.firstRow[track] + depth;
      this.rows.push(row);
      this.rowTop[row] = top + depth * height;
      this.rowBar[row] = height - gap;
    }
    return { track, label, top, height: this.heightOf(track, size.height), hidden: rows - shown };
  }

  /** Height of one row of a track, or of a counter, where rows are this high by themselves. */
  private rowHeight(track: number, height: number): number {
    return this.heights.get(track) ?? (this.isCounter(track) ? COUNTER_HEIGHT : height);
  }

  private heightOf(track: number, height: number): number {
    return this.rowHeight(track, height) * Math.max(1, this.shownRows(track));
  }

  isCounter(track: number): boolean {
    return this.tracks[track].rows === 0;
  }

  /** The height for each row of a track that makes the whole of it nearest to this many pixels. */
  rowHeightFor(track: number, pixels: number): number {
    const { least, most } = this.isCounter(track) ? COUNTER_HEIGHTS : ROW_HEIGHTS;
    const height = pixels / Math.max(1, this.shownRows(track));
    return Math.min(most, Math.max(least, Math.round(height / UNIT) * UNIT));
  }

  /** Where a track lies, or null for one that is hidden. */
  boxOf(track: number): TrackBox | null {
    return this.groups.flatMap(({ boxes }) => boxes).find((box) => box.track === track) ?? null;
  }

  private shownRows(track: number): number {
    const { rows } = this.tracks[track];
    return this.folded.has(track) ? Math.min(rows, FOLDED) : rows;
  }

  /** The display row at a height, or -1 between the rows. */
  rowAt(y: number): number {
    const row = this.rows[this.lastFrom(y)] ?? -1;
    return row >= 0 && y < this.rowTop[row] + this.rowBar[row] + UNIT ? row : -1;
  }

  /** The rows that a window of the timeline shows, from the top down. */
  visible(top: number, bottom: number): number[] {
    let first = Math.max(0, this.lastFrom(top));
    const row = this.rows[first];
    if (row !== undefined && this.rowTop[row] + this.rowBar[row] <= top) first++;
    return this.rows.slice(first, Math.max(first, this.lastFrom(bottom) + 1));
  }

  /** Depth rows of a track, shown or not. */
  rowsOf(track: number): number {
    return this.tracks[track].rows;
  }

  has(row: number): boolean {
    return !Number.isNaN(this.rowTop[row]);
  }

  middle(row: number): number {
    return this.rowTop[row] + this.rowBar[row] / 2;
  }

  /** Position in `rows` of the last row that begins at or above a height, or -1. */
  private lastFrom(y: number): number {
    let low = -1;
    let high = this.rows.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.rowTop[this.rows[middle]] <= y) low = middle;
      else high = middle;
    }
    return low;
  }
}
