import type { Answers } from "../core/answers.ts";
import type { ArrangementState } from "../core/arrangement.ts";
import type { Chain } from "../core/chain.ts";
import { decimal, duration } from "../core/time.ts";
import { FULL_HEIGHT } from "../core/layout.ts";
import { Lane } from "../core/meta.ts";
import { stopBeside } from "../core/stops.ts";
import { spoken } from "../core/spoken.ts";
import type { Trace } from "../core/trace.ts";
import type { Span } from "../core/viewport.ts";
import type { Bokeh } from "./bokeh.ts";
import { Cell } from "./cell.ts";
import { CriticalPath } from "./critical_path.ts";
import { notes } from "./details.ts";
import { h } from "./dom.ts";
import { EventTab } from "./event_tab.ts";
import { Finder } from "./finder.ts";
import { Gaps } from "./gaps.ts";
import { header, type Header } from "./header.ts";
import { listenToHost, tellSelection } from "./host.ts";
import { Insights } from "./insights.ts";
import { listenToKeys, type Action } from "./keys.ts";
import { Measures } from "./measures.ts";
import { Navigation } from "./navigation.ts";
import { Operators } from "./operators.ts";
import { Panel } from "./panel.ts";
import { style } from "./style/index.ts";
import { Tabs } from "./tabs.ts";
import { currentTheme, watchTheme } from "./theme.ts";
import { Timeline } from "./timeline.ts";
import { Tooltip } from "./tooltip.ts";
import { Tracks } from "./tracks.ts";

/** The tabs that Python answers. */
const ANSWERS = ["Gaps", "Critical path", "Insights"];

/** The element of an explorer; its `explorer` answers what a test or a host page may ask. */
export type ExplorerElement = HTMLElement & { explorer?: Explorer };

/** How a host wants to see it; what is left out is as usual. */
export interface ViewOptions {
  /** Pixels for the lanes before they scroll. */
  height?: number | null;
  /** Numbers of the lanes to show. */
  lanes?: number[] | null;
  /** One of several on a page: the tables below are closed at first. */
  compact?: boolean;
  /** What it is called among several, where its own title would not tell it apart. */
  title?: string;
}

/** The explorer in one element: it wires the parts to one selection. */
export class Explorer {
  readonly root: ExplorerElement = h("section", { class: "nbp" });
  /** Those of a host that may show several. */
  readonly explorers: readonly Explorer[] = [this];
  /** Called with the id of the event that the reader selects here, or null. */
  onSelect: (id: number | null) => void = () => undefined;
  /** Called when the reader arranges the tracks anew. */
  onArrange: (state: ArrangementState) => void = () => undefined;
  /** Called when the reader opens a tab of answers that are still to come; `tell` shows them. */
  onAsk: () => void = () => undefined;
  /** Called when the span of time on the screen changes. */
  onMove: () => void = () => undefined;
  readonly timeline: Timeline;
  private readonly header: Header;
  private readonly navigation: Navigation;
  private readonly panel: Panel;
  private readonly operators: Operators;
  private readonly finder: Finder;
  private readonly measures: Measures;
  private readonly cell: Cell | null;
  private readonly gaps: Gaps;
  private readonly path: CriticalPath;
  private readonly insights: Insights;
  private readonly tabs: Tabs;
  private readonly tracks: Tracks;
  /** Details of the selected event; a host may tell it where to fetch arguments. */
  readonly event: EventTab;
  private readonly tooltip = new Tooltip();
  private readonly live = h("div", { class: "nbp-spoken", role: "status", "aria-live": "polite" });
  private readonly unwatch: () => void;
  private row: number | null = null;
  private shown: Chain | null = null;
  private calls: number[] = [];
  private ordinal = "";

  constructor(
    private readonly trace: Trace,
    options: ViewOptions = {},
  ) {
    const { meta } = trace;
    this.timeline = new Timeline(trace, {
      select: (row) => this.choose(row),
      zoom: () => this.navigation.focus(),
      hover: (lines, x, y) => this.tooltip.showIn(this.root, lines, x, y),
      leave: () => this.tooltip.hide(),
      measured: (span) => this.measured(span),
      oneEnd: () => (this.live.textContent = "One end is set: click the other"),
      moved: () => {
        this.tooltip.hide();
        this.navigation.moved();
        this.onMove();
      },
      arranged: () => {
        this.tracks.draw();
        this.onArrange(this.arrangement);
      },
    });
    this.tracks = new Tracks(this.timeline);
    this.event = new EventTab(trace, () => this.tellHost());
    const choose = (row: number) => this.choose(row, true);
    const clear = () => this.choose(null);
    const title = options.title ?? meta.title;
    this.panel = new Panel(trace, { select: choose, step: (by) => this.step(by), clear }, title);
    this.operators = new Operators(trace, (name) => this.chooseOperator(name));
    this.finder = new Finder(trace, { select: choose, found: (rows) => this.timeline.overview.show(rows) });
    this.measures = new Measures(trace, {
      pinned: (spans) => this.timeline.spans.pin(spans),
      show: ([from, to]) => this.timeline.viewport.focus(from, to),
    });
    this.cell = meta.cell === null ? null : new Cell(trace, meta.cell, choose);
    const visit = (span: Span, id: number | null) => this.visit(span, id);
    this.path = new CriticalPath(trace, { visit, light: (rows) => this.lightPath(rows) });
    this.gaps = new Gaps(trace, visit);
    this.insights = new Insights((id) => this.chooseId(id));
    const beside = [this.insights.gravest, this.operators.element, this.cell?.element];
    this.tabs = new Tabs(
      [
        ["Operators", h("div", { class: "nbp-beside" }, ...beside)],
        ["Gaps", this.gaps.element],
        ["Critical path", this.path.element],
        ["Insights", this.insights.element],
        ["Event", this.event.element],
        ["Search", this.finder.element],
        ["Measure", this.measures.element],
        ["Tracks", this.tracks.element],
        [meta.notes.length ? `Notes (${meta.notes.length})` : "Notes", notes(trace)],
      ],
      options.compact,
    );
    if (meta.answers) this.tell(meta.answers);
    else this.tabs.onOpen = (title) => ANSWERS.includes(title) && this.onAsk();
    this.arrange(options);
    this.header = header({ ...meta, title }, (action) => this.act(action));
    this.navigation = new Navigation(trace, this.timeline, this.header);
    const simulated = meta.simulated ? "Simulated profile" : "Profile";
    this.root.setAttribute("aria-label", `${simulated} ${title}`);
    this.root.explorer = this;
    this.root.append(
      h("style", {}, style),
      this.header.element,
      h("div", { class: "nbp-main" }, this.timeline.element, this.panel.element),
      this.tabs.element,
      this.tooltip.element,
      this.live,
    );
    listenToKeys(this.root, this.timeline.surface, (action) => this.act(action));
    listenToHost(this.root, (id) => this.chooseId(id));
    this.panel.show(null, "");
    this.unwatch = watchTheme(() => this.setTheme());
    this.setTheme();
  }

  /** Draw the timeline; the root must be in the document. */
  async embed(bokeh: Bokeh, item: unknown): Promise<void> {
    await this.timeline.embed(bokeh, item);
    this.timeline.light(this.shown, this.calls);
  }

  /** Count from `origin`, and begin with what this and others beside it hold together, in ns. */
  align(origin: number, from: number, to: number): void {
    this.timeline.align(origin, from, to);
    this.navigation.begin();
  }

  /** Show what Python worked out. */
  tell(answers: Answers): void {
    this.gaps.tell(answers.gaps);
    this.path.tell(answers.critical_path);
    this.insights.tell(answers.insights);
    this.tabs.rename("Insights", this.insights.title);
    this.tabs.onOpen = () => undefined;
  }

  /** Take over how the host wants it. */
  arrange({ height, lanes }: ViewOptions): void {
    if (lanes !== undefined) this.timeline.arrangement.only(lanes);
    this.timeline.setRoom(height ?? FULL_HEIGHT);
  }

  /** What the reader changed of the arrangement of the tracks. */
  get arrangement(): ArrangementState {
    return this.timeline.arrangement.state;
  }

  /** Arrange the tracks as another view told it. */
  takeArrangement(state: unknown): void {
    this.timeline.takeArrangement(state);
    this.tracks.draw();
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
  get drawn(): { arrows: number; frames: number; dark: boolean; marked: number } {
    const { arrows, frames, dark, overview } = this.timeline;
    return { arrows, frames, dark, marked: overview.marked };
  }

  get span(): { x0: number; x1: number } {
    const { x0, x1 } = this.timeline.viewport;
    return { x0, x1 };
  }

  /** Show this span of time, in ns from the origin. */
  showSpan(x0: number, x1: number): void {
    this.timeline.viewport.show(x0, x1);
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

  private choose(row: number | null, reveal = false, calls: number[] = []): void {
    this.show(row, calls);
    if (row !== null && reveal) this.timeline.reveal(row);
    if (row !== null && this.panel.covers) this.timeline.uncover(row);
    this.onSelect(this.selected);
  }

  private chooseId(id: number): void {
    const row = this.trace.events.withId(id);
    if (row >= 0) this.choose(row, true);
  }

  /** Show a span of time, and select what it is about where that is known. */
  private visit([from, to]: Span, id: number | null): void {
    const row = id === null ? -1 : this.trace.events.withId(id);
    if (row >= 0) this.choose(row, true, this.path.lit);
    this.timeline.viewport.focus(from, to);
  }

  /** Light the events of the critical path alone; without rows the light is put out. */
  private lightPath(rows: number[]): void {
    this.choose(null, false, rows);
    this.timeline.overview.show(rows);
    if (rows.length) this.live.textContent = `Critical path: ${decimal(rows.length)} events are lit`;
  }

  private show(row: number | null, calls: number[] = []): void {
    const { trace } = this;
    this.row = row;
    this.calls = calls;
    this.shown = row === null ? null : trace.chain(row);
    const beside = row === null ? [] : trace.namesakes(row);
    const ordinal = row === null ? "" : `${decimal(beside.indexOf(row) + 1)} of ${decimal(beside.length)}`;
    this.timeline.light(this.shown, calls);
    this.navigation.select(this.shown);
    this.path.mark(calls);
    this.panel.show(this.shown, ordinal);
    this.operators.mark(this.operatorName());
    this.cell?.mark(this.shown?.nodes ?? []);
    this.event.show(row);
    this.live.textContent = spoken(trace, this.shown, ordinal);
    this.ordinal = ordinal;
    this.tellHost();
  }

  private tellHost(): void {
    tellSelection(this.root, this.trace, this.shown, this.ordinal);
  }

  /** The operator of the chain: what its dispatch station is called. */
  private operatorName(): string | null {
    const first = this.shown?.lines[0]?.stations[0];
    return first?.lane === Lane.Dispatch ? this.trace.name(first.rows[0]) : null;
  }

  private named(name: string): number[] {
    const index = this.trace.meta.strings.indexOf(name);
    return index < 0 ? [] : this.trace.events.named(index);
  }

  /** Light all calls of an operator and select the one after that which is selected. */
  private chooseOperator(name: string): void {
    const rows = this.named(name);
    if (!rows.length) return;
    const all = this.trace.namesakes(rows.find((row) => this.trace.lane(row) === Lane.Dispatch) ?? rows[0]);
    const at = this.row === null ? -1 : all.indexOf(this.row);
    this.choose(all[(at + 1) % all.length], true, all);
    this.timeline.overview.show(all);
  }

  private step(by: number): void {
    if (this.row === null) return;
    const all = this.trace.namesakes(this.row);
    this.choose(all[(all.indexOf(this.row) + by + all.length) % all.length], true);
  }

  /** To the next (1) or previous (-1) station of the chain. */
  private along(by: number): void {
    const line = this.shown && this.panel.line(this.shown);
    const to = this.row === null || !line ? undefined : stopBeside(this.trace, line, this.row, by);
    if (to !== undefined) this.choose(to, true);
  }

  private search(): void {
    this.tabs.show("Search");
    this.finder.focus();
  }

  private measure(on: boolean): void {
    const { abandon, ruler, surface } = this.timeline;
    abandon();
    ruler.active = on;
    this.header.measuring(on);
    if (!on) return;
    surface.focus({ preventScroll: true });
    this.live.textContent = "Measuring: drag, click both ends, or press Enter for the selected event";
  }

  /** Measure the selected event, else what is in view. */
  private markSelected(): void {
    const { ruler, viewport } = this.timeline;
    if (!ruler.active) return;
    const { events } = this.trace;
    if (this.row !== null && events.dur[this.row]) ruler.take(events.start[this.row], events.end(this.row));
    else ruler.take(viewport.x0, viewport.x1);
  }

  /** Leave what is open, one thing after the other. */
  private leave(): void {
    this.tooltip.hide();
    if (this.header.closeHelp()) return;
    if (this.timeline.ruler.active) this.measure(false);
    else this.choose(null);
  }

  private measured(span: Span): void {
    this.measures.add(span);
    this.measure(false);
    this.tabs.show("Measure");
    this.live.textContent = `Measured ${duration(span[1] - span[0])}`;
  }

  private act(action: Action): void {
    const actions: Record<Action, () => void> = {
      ...this.navigation.actions,
      clear: () => this.leave(),
      next: () => this.step(1),
      previous: () => this.step(-1),
      along: () => this.along(1),
      against: () => this.along(-1),
      search: () => this.search(),
      nextHit: () => this.finder.step(1),
      previousHit: () => this.finder.step(-1),
      help: () => this.header.help(),
      measure: () => this.measure(!this.timeline.ruler.active),
      mark: () => this.markSelected(),
    };
    actions[action]();
  }

  private setTheme(): void {
    const theme = currentTheme();
    this.root.classList.toggle("nbp-dark", theme.dark);
    this.timeline.setTheme(theme);
  }
}
