import { group, type Grouping } from "./grouping.ts";
import type { Group } from "./layout.ts";
import type { TrackInfo } from "./meta.ts";

/** What the reader made of the tracks: how they are grouped, which are hidden, in which order. */
export class Arrangement {
  by: Grouping = "lane";
  readonly hidden = new Set<number>();
  private order: number[];

  constructor(
    private readonly lanes: string[],
    private readonly tracks: TrackInfo[],
  ) {
    this.order = tracks.map((_, index) => index);
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

  /** Show only the tracks of these lanes; null shows all. */
  only(lanes: readonly number[] | null): void {
    this.tracks.forEach(({ lane }, track) => this.show(track, !lanes || lanes.includes(lane)));
  }

  show(track: number, shown: boolean): void {
    if (shown) this.hidden.delete(track);
    else this.hidden.add(track);
  }

  /** Move a track one place up (-1) or down (1) within its group. */
  move(track: number, by: -1 | 1): void {
    const beside = this.all().find(({ tracks }) => tracks.includes(track))?.tracks ?? [];
    const other = beside[beside.indexOf(track) + by];
    if (other === undefined) return;
    const [a, b] = [this.order.indexOf(track), this.order.indexOf(other)];
    [this.order[a], this.order[b]] = [other, track];
  }
}
