import { group, GROUPINGS, type Grouping } from "./grouping.ts";
import { COUNTER_HEIGHTS, ROW_HEIGHTS, UNIT, type Group } from "./layout.ts";
import type { TrackInfo } from "./meta.ts";

/** More counters than this are hidden at first. */
export const FIRST_COUNTERS = 6;

/** What a reader changed of an arrangement, as plain data; what is left out is as usual. */
export interface ArrangementState {
  by?: Grouping;
  hidden?: number[];
  order?: number[];
  heights?: [track: number, pixels: number][];
}

/** What the reader made of the tracks: how they are grouped, which are hidden, in which order, how high. */
export class Arrangement {
  by: Grouping = "lane";
  readonly hidden: Set<number>;
  /** Height of each row of a track, or of a counter, in pixels. */
  readonly heights = new Map<number, number>();
  private order: number[];
  private readonly usual: ArrangementState;

  constructor(
    private readonly lanes: string[],
    private readonly tracks: TrackInfo[],
  ) {
    this.order = tracks.map((_, index) => index);
    const counters = this.order.filter((index) => !tracks[index].rows);
    this.hidden = new Set(counters.slice(FIRST_COUNTERS));
    this.usual = { hidden: [...this.hidden], order: this.order };
  }

  /** All groups with all their tracks, in the reader's order. */
  all(): Group[] {
    const place = (track: number) => this.order.indexOf(track);
    return group(this.by, this.lanes, this.tracks).map((found) => ({
      ...found,
      tracks: [...found.tracks].sort((a, b) => place(a) - place(b)),
    }));
  }

  /** The groups as they are drawn: without hidden tracks, and without groups of which nothing is left. */
  groups(): Group[] {
    const all = this.all();
    return all
      .map((found) => ({ ...found, tracks: found.tracks.filter((track) => !this.hidden.has(track)) }))
      .filter((found, i) => found.tracks.length || !all[i].tracks.length);
  }

  /** Show only the tracks of these lanes; null shows all that are shown at first. */
  only(lanes: readonly number[] | null): void {
    const { hidden = [] } = this.usual;
    this.tracks.forEach(({ lane }, track) =>
      this.show(track, lanes ? lanes.includes(lane) : !hidden.includes(track)),
    );
  }

  show(track: number, shown: boolean): void {
    if (shown) this.hidden.delete(track);
    else this.hidden.add(track);
  }

  /** Give each row of a track this height; null gives it back its usual one. */
  resize(track: number, pixels: number | null): void {
    if (pixels === null) this.heights.delete(track);
    else this.heights.set(track, pixels);
  }

  /** Move a track one place up (-1) or down (1) within its group. */
  move(track: number, by: -1 | 1): void {
    const beside = this.all().find(({ tracks }) => tracks.includes(track))?.tracks ?? [];
    const other = beside[beside.indexOf(track) + by];
    if (other === undefined) return;
    const order = [...this.order];
    const [a, b] = [order.indexOf(track), order.indexOf(other)];
    [order[a], order[b]] = [other, track];
    this.order = order;
  }

  /** What differs from the usual. */
  get state(): ArrangementState {
    const state: ArrangementState = {};
    const hidden = [...this.hidden].sort((a, b) => a - b);
    if (this.by !== "lane") state.by = this.by;
    if (!same(hidden, this.usual.hidden ?? [])) state.hidden = hidden;
    if (!same(this.order, this.usual.order ?? [])) state.order = this.order;
    if (this.heights.size) state.heights = [...this.heights];
    return state;
  }

  /** Take over a state, which may come from outside: what does not fit these tracks is as usual. */
  take(state: unknown): void {
    const wanted = (typeof state === "object" && state !== null ? state : {}) as Record<string, unknown>;
    const isTrack = (value: unknown): value is number =>
      Number.isInteger(value) && this.tracks[value as number] !== undefined;
    const tracks = (value: unknown): number[] | null =>
      Array.isArray(value) && value.every(isTrack) && new Set(value).size === value.length ? value : null;
    this.by = GROUPINGS.find((by) => by === wanted.by) ?? "lane";
    this.hidden.clear();
    for (const track of tracks(wanted.hidden) ?? this.usual.hidden ?? []) this.hidden.add(track);
    const order = tracks(wanted.order);
    this.order = order?.length === this.tracks.length ? order : this.tracks.map((_, index) => index);
    this.heights.clear();
    for (const entry of Array.isArray(wanted.heights) ? wanted.heights : []) {
      if (!Array.isArray(entry) || !isTrack(entry[0])) continue;
      const { least, most } = this.tracks[entry[0]].rows ? ROW_HEIGHTS : COUNTER_HEIGHTS;
      const pixels: unknown = entry[1];
      if (typeof pixels === "number" && pixels % UNIT === 0 && pixels >= least && pixels <= most)
        this.heights.set(entry[0], pixels);
    }
  }
}

function same(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
