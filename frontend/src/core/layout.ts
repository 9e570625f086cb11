import type { TrackInfo } from "./meta.ts";

/** All heights are even: the density raster draws in units of two pixels. */
export const UNIT = 2;
const LANE_HEADER = 22;
const LANE_FOOTER = 4;
const LANE_GAP = 6;
/** Rows, from the most comfortable; the first that lets all lanes be seen at once is taken. */
const ROWS = [
  { height: 22, gap: 4 },
  { height: 18, gap: 2 },
  { height: 14, gap: 2 },
];
/** Where not even the flattest fit, rows are still high enough for their labels, and the lanes scroll. */
const SCROLLED = ROWS[2];

export interface LaneBox {
  lane: number;
  title: string;
  top: number;
  height: number;
  tracks: TrackBox[];
}

export interface TrackBox {
  track: number;
  label: string;
  top: number;
  height: number;
}

/** Height that shows all lanes without scrolling. */
export const FULL_HEIGHT = 500;

/** Where each lane, track and display row lies, in CSS pixels from the top of the timeline. */
export class Layout {
  readonly lanes: LaneBox[] = [];
  readonly height: number;
  readonly rowTop: Float64Array;
  /** Height of the bars of a display row. */
  readonly rowBar: Float64Array;
  readonly rowTrack: Int32Array;

  constructor(titles: string[], tracks: TrackInfo[]) {
    const rows = tracks.reduce((sum, track) => sum + track.rows, 0);
    this.rowTop = new Float64Array(rows);
    this.rowBar = new Float64Array(rows);
    this.rowTrack = new Int32Array(rows);
    const frame = titles.length * (LANE_HEADER + LANE_FOOTER + LANE_GAP);
    const size = ROWS.find(({ height }) => frame + rows * height <= FULL_HEIGHT) ?? SCROLLED;
    let y = 0;
    let row = 0;
    titles.forEach((title, lane) => {
      const box: LaneBox = { lane, title, top: y, height: 0, tracks: [] };
      y += LANE_HEADER;
      tracks.forEach((track, index) => {
        if (track.lane !== lane) return;
        const { height, gap } = size;
        box.tracks.push({ track: index, label: track.label, top: y, height: height * track.rows });
        for (let depth = 0; depth < track.rows; depth++, row++, y += height) {
          this.rowTop[row] = y;
          this.rowBar[row] = height - gap;
          this.rowTrack[row] = index;
        }
      });
      y += box.tracks.length ? LANE_FOOTER : 0;
      box.height = y - box.top;
      y += LANE_GAP;
      this.lanes.push(box);
    });
    this.height = y - LANE_GAP;
  }

  /** The display row at a height, or -1 between the rows. */
  rowAt(y: number): number {
    const row = this.lastRowFrom(y);
    return row >= 0 && y < this.rowTop[row] + this.rowBar[row] + UNIT ? row : -1;
  }

  /** The rows [first, end) that a window of the timeline shows. */
  visible(top: number, bottom: number): [first: number, end: number] {
    let first = Math.max(0, this.lastRowFrom(top));
    if (first < this.rowTop.length && this.rowTop[first] + this.rowBar[first] <= top) first++;
    return [first, Math.max(first, this.lastRowFrom(bottom) + 1)];
  }

  middle(row: number): number {
    return this.rowTop[row] + this.rowBar[row] / 2;
  }

  /** The last row that begins at or above a height, or -1. */
  private lastRowFrom(y: number): number {
    let low = -1;
    let high = this.rowTop.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.rowTop[middle] <= y) low = middle;
      else high = middle;
    }
    return low;
  }
}
