import type { Chain } from "../core/chain.ts";
import type { Trace } from "../core/trace.ts";
import { decimal, duration } from "../core/time.ts";
import { Lane } from "../core/meta.ts";
import type { Bokeh } from "./bokeh.ts";
import { details, notes } from "./details.ts";
import { h } from "./dom.ts";
import { header } from "./header.ts";
import { listenToHost, tellSelection } from "./host.ts";
import { listenToKeys, type Action } from "./keys.ts";
import { Operators } from "./operators.ts";
import { Panel } from "./panel.ts";
import { style } from "./style/index.ts";
import { Tabs } from "./tabs.ts";
import { currentTheme, watchTheme } from "./theme.ts";
import { Timeline } from "./timeline.ts";
import { Tooltip } from "./tooltip.ts";

const ZOOM = 1.5;
const STEP = 0.15;
const SCROLL = 44;
const EVENT_TAB = 1;

/** The element of an explorer; its `explorer` answers what a test or a host page may ask. */
export type ExplorerElement = HTMLElement & { explorer?: Explorer };

/** The explorer in one element: it wires the parts to one selection. */
export class Explorer {
  readonly root: ExplorerElement = h("section", { class: "nbp" });
  /** Called with the id of the event that the reader selects here, or null. */
  onSelect: (id: number | null) => void = () => undefined;
  private readonly timeline: Timeline;
  private readonly panel: Panel;
  private readonly operators: Operators;
  private readonly tabs: Tabs;
  private readonly tooltip = new Tooltip();
  private readonly live = h("div", { class: "nbp-spoken", role: "status", "aria-live": "polite" });
  private readonly unwatch: () => void;
  private row: number | null = null;
  private shown: Chain | null = null;

  constructor(private readonly trace: Trace) {
    const { meta } = trace;
    this.timeline = new Timeline(trace, {
      select: (row) => this.choose(row),
      zoom: () => this.focus(),
      hover: (row, together, x, y) => this.hover(row, together, x, y),
      leave: () => this.tooltip.hide(),
    });
    this.panel = new Panel(trace, { select: (row) => this.choose(row, true), step: (by) => this.step(by) });
    this.operators = new Operators(trace, (name) => this.chooseOperator(name));
    this.tabs = new Tabs([
      ["Operators", this.operators.element],
      ["Event", details(trace, null)],
      [meta.notes.length ? `Notes (${meta.notes.length})` : "Notes", notes(trace)],
    ]);
    const simulated = meta.simulated ? "Simulated profile" : "Profile";
    this.root.setAttribute("aria-label", `${simulated} ${meta.title}`);
    this.root.explorer = this;
    this.root.append(
      h("style", {}, style),
      header(meta, (action) => this.act(action)),
      h("div", { class: "nbp-main" }, this.timeline.element, this.panel.element),
      this.tabs.element,
      this.tooltip.element,
      this.live,
    );
    listenToKeys(this.root, this.timeline.surface, (action) => this.act(action));
    listenToHost(this.root, (id) => {
      const row = trace.events.withId(id);
      if (row >= 0) this.choose(row, true);
    });
    this.panel.show(null, "");
    this.unwatch = watchTheme(() => this.setTheme());
    this.setTheme();
  }

  /** Draw the timeline; the root must be in the document. */
  async embed(bokeh: Bokeh, item: unknown): Promise<void> {
    await this.timeline.embed(bokeh, item);
    this.timeline.light(this.shown);
  }

  remove(): void {
    this.unwatch();
    this.timeline.remove();
    this.root.remove();
  }

  /** Id of the selected event. */
  get selected(): number | null {
    return this.row === null ? null : this.trace.events.id[this.row];
  }

  get chain(): Chain | null {
    return this.shown;
  }

  /** What the last frame showed, and how many there were. */
  get drawn(): { arrows: number; frames: number; dark: boolean } {
    const { arrows, frames, dark } = this.timeline;
    return { arrows, frames, dark };
  }

  get span(): { x0: number; x1: number } {
    const { x0, x1 } = this.timeline.viewport;
    return { x0, x1 };
  }

  /** Id of the n-th event of this name, by start, or null. */
  find(name: string, n = 0): number | null {
    const row = this.named(name)[n];
    return row === undefined ? null : this.trace.events.id[row];
  }

  /** Where the event with this id is drawn, in client pixels. */
  pixel(id: number): { x: number; y: number } {
    return this.timeline.pixel(this.trace.events.withId(id));
  }

  /** Select the event with this id from outside; an id that is not there clears. */
  select(id: number | null): void {
    const row = id === null ? -1 : this.trace.events.withId(id);
    if (row === (this.row ?? -1)) return;
    this.show(row < 0 ? null : row);
    if (row >= 0) this.timeline.reveal(row);
  }

  private choose(row: number | null, reveal = false): void {
    this.show(row);
    if (row !== null && reveal) this.timeline.reveal(row);
    this.onSelect(this.selected);
  }

  private show(row: number | null): void {
    const { trace } = this;
    this.row = row;
    this.shown = row === null ? null : trace.chain(row);
    const beside = row === null ? [] : trace.namesakes(row);
    const ordinal = row === null ? "" : `${decimal(beside.indexOf(row) + 1)} of ${decimal(beside.length)}`;
    this.timeline.light(this.shown);
    this.panel.show(this.shown, ordinal);
    this.operators.mark(this.operatorName());
    this.tabs.replace(EVENT_TAB, details(trace, row));
    this.live.textContent = this.spoken(ordinal);
    tellSelection(this.root, trace, this.shown, ordinal);
  }

  /** The operator of the chain: what its dispatch station is called. */
  private operatorName(): string | null {
    const first = this.shown?.lines[0]?.stations[0];
    return first?.lane === Lane.Dispatch ? this.trace.name(first.rows[0]) : null;
  }

  private spoken(ordinal: string): string {
    if (this.row === null || !this.shown) return "Selection cleared";
    const { lines } = this.shown;
    const stations = lines[0]?.stations.length ?? 0;
    const total =
      lines.length === 1 ? `${stations} stations, ${duration(lines[0].total)}` : `${lines.length} executions`;
    return `${this.trace.name(this.row)}, ${ordinal}: ${total}`;
  }

  private named(name: string): number[] {
    const index = this.trace.meta.strings.indexOf(name);
    return index < 0 ? [] : this.trace.events.named(index);
  }

  private chooseOperator(name: string): void {
    const rows = this.named(name);
    if (!rows.length) return;
    const all = this.trace.namesakes(rows.find((row) => this.trace.lane(row) === Lane.Dispatch) ?? rows[0]);
    const at = this.row === null ? -1 : all.indexOf(this.row);
    this.choose(all[(at + 1) % all.length], true);
  }

  private step(by: number): void {
    if (this.row === null) return;
    const all = this.trace.namesakes(this.row);
    this.choose(all[(all.indexOf(this.row) + by + all.length) % all.length], true);
  }

  private focus(): void {
    const stations = this.shown?.lines.flatMap((line) => line.stations) ?? [];
    if (!stations.length) return;
    const start = stations.reduce((first, station) => Math.min(first, station.start), Infinity);
    const end = stations.reduce((last, station) => Math.max(last, station.end), -Infinity);
    this.timeline.viewport.focus(start, end);
  }

  private act(action: Action): void {
    const { viewport } = this.timeline;
    const actions: Record<Action, () => void> = {
      zoomIn: () => viewport.zoom(1 / ZOOM, this.middle()),
      zoomOut: () => viewport.zoom(ZOOM, this.middle()),
      left: () => viewport.pan(-STEP),
      right: () => viewport.pan(STEP),
      up: () => this.timeline.scroll(-SCROLL),
      down: () => this.timeline.scroll(SCROLL),
      whole: () => viewport.whole(),
      focus: () => this.focus(),
      clear: () => this.choose(null),
      next: () => this.step(1),
      previous: () => this.step(-1),
    };
    actions[action]();
  }

  /** Zoom by key keeps the selected event in place when it can be seen, else the middle. */
  private middle(): number | undefined {
    if (this.row === null) return undefined;
    const { events } = this.trace;
    const { x0, x1 } = this.timeline.viewport;
    const at = events.start[this.row] + events.dur[this.row] / 2;
    return at > x0 && at < x1 ? at : undefined;
  }

  private hover(row: number, together: number, x: number, y: number): void {
    const { events } = this.trace;
    const box = this.root.getBoundingClientRect();
    const lines = [
      this.trace.name(row),
      `${duration(events.dur[row])}, begins at ${duration(events.start[row] - events.first)}`,
      this.trace.track(row).label,
    ];
    if (together > 1) lines.push(`one of ${decimal(together)} events in this pixel`);
    this.tooltip.show(lines, x - box.left, y - box.top);
  }

  private setTheme(): void {
    const theme = currentTheme();
    this.root.classList.toggle("nbp-dark", theme.dark);
    this.timeline.setTheme(theme);
  }
}
