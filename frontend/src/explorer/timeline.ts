import { Arrangement } from "../core/arrangement.ts";
import type { Chain } from "../core/chain.ts";
import { LIGHT, type Theme } from "../core/colours.ts";
import { density, densityText } from "../core/density.ts";
import { History } from "../core/history.ts";
import { hit } from "../core/hit.ts";
import { viewportOf } from "../core/home.ts";
import { FULL_HEIGHT, Layout } from "../core/layout.ts";
import type { CounterInfo, Meta, TrackInfo } from "../core/meta.ts";
import { duration } from "../core/time.ts";
import type { Trace } from "../core/trace.ts";
import type { Span, Viewport } from "../core/viewport.ts";
import { Axis } from "./axis.ts";
import type { Bokeh } from "./bokeh.ts";
import { Counters } from "./counters.ts";
import { h } from "./dom.ts";
import { Figure } from "./figure.ts";
import { listen, type DragMode } from "./gestures.ts";
import { lanes } from "./lanes.ts";
import { Outside } from "./outside.ts";
import { Overview } from "./overview.ts";
import { listenToHandles } from "./resizing.ts";
import { Scene } from "./scene.ts";
import { Spans } from "./spans.ts";

/** Pixels around the pointer in which an event counts as hit. */
const SLOP = 4;
/** A view that is left alone for this long can be gone back to. */
const STAY_MS = 400;

export interface TimelineListener {
  select(row: number | null): void;
  /** A double click on an event. */
  zoom(): void;
  /** Lines about what is under the pointer. */
  hover(lines: string[], x: number, y: number): void;
  leave(): void;
  measured(span: Span): void;
  moved(): void;
  /** The reader has grouped, hidden, moved or resized tracks. */
  arranged(): void;
}

/** The lanes: a Bokeh figure above bands and labels, an axis and an overview, all over one span of time. */
export class Timeline {
  readonly viewport: Viewport;
  history: History;
  /** All tracks in the order of their numbers: those of events, then one for each counter. */
  readonly tracks: TrackInfo[];
  readonly arrangement: Arrangement;
  readonly layout: Layout;
  readonly spans: Spans;
  readonly overview: Overview;
  readonly surface = h("div", {
    class: "nbp-surface",
    tabindex: 0,
    role: "application",
    "aria-label":
      "Timeline. W and S zoom, A and D move, 0 shows everything, F zooms to the selected chain, brackets step " +
      "along it, comma and full stop select the previous and next event of the name, slash searches, " +
      "question mark lists all keys.",
  });
  readonly element = h("div", { class: "nbp-timeline" });
  /** Time 0 of the axis, ns. */
  origin: number;
  /** Pixels that the lanes may take before they scroll. */
  private room = FULL_HEIGHT;
  /** Whether a drag measures a span. */
  measuring = false;
  /** Frames drawn so far. */
  frames = 0;
  /** Whether the last one was drawn for a dark page. */
  dark = false;
  private readonly body = h("div", { class: "nbp-body" });
  private readonly plot = h("div", { class: "nbp-plot" });
  private readonly canvas = h("div", { class: "nbp-canvas", "aria-hidden": "true" });
  private readonly axis = new Axis();
  private readonly outside: Outside;
  private readonly counters: Counters | null;
  private readonly observer = new ResizeObserver(() => this.resized());
  private labels: HTMLElement = h("div");
  private figure: Figure | null = null;
  private scene: Scene | null = null;
  private theme = LIGHT;
  private scheduled = false;
  /** The arrangement that was last told, as text. */
  private told = "{}";
  private staying: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly trace: Trace,
    private readonly listener: TimelineListener,
  ) {
    const { events, meta } = trace;
    this.origin = events.first;
    this.tracks = [...meta.tracks, ...meta.counters.map((counter) => counterTrack(counter, meta))];
    this.arrangement = new Arrangement(meta.lanes, this.tracks);
    this.layout = new Layout(this.arrangement.groups(), this.tracks);
    this.viewport = viewportOf(trace);
    this.overview = new Overview(events, this.layout, this.viewport);
    this.outside = new Outside(events, this.viewport);
    this.spans = new Spans(this.viewport);
    this.history = new History([this.viewport.x0, this.viewport.x1]);
    this.counters = trace.counters.length
      ? new Counters(
          trace.counters,
          meta.tracks.length,
          this.layout,
          this.viewport,
          () => this.origin,
          () => this.schedule(),
        )
      : null;
    this.plot.append(this.canvas, this.counters?.canvas ?? "", this.spans.element, this.surface);
    this.body.append(this.labels, this.plot);
    listenToHandles(this.body, this.layout, (track, pixels) => this.resize(track, pixels));
    this.arrange();
    const times = h(
      "div",
      { class: "nbp-times" },
      this.overview.element,
      this.axis.element,
      this.outside.element,
    );
    this.element.append(times, this.body);
    this.element.addEventListener("scroll", () => this.schedule());
    this.viewport.onChange(() => {
      this.schedule();
      this.stay();
      this.listener.moved();
    });
    listen(this.surface, {
      mode: (event) => (event.shiftKey ? "zoom" : this.measuring ? "measure" : "pan"),
      click: (x, y) => this.click(x, y),
      doubleClick: (x, y) => this.eventAt(x, y) !== null && this.listener.zoom(),
      hover: (x, y) => this.hover(x, y),
      leave: () => this.leave(),
      drag: (dx, dy) => this.drag(dx, dy),
      mark: (mode, from, to, done) => this.mark(mode, from, to, done),
      zoom: (factor, x) => this.viewport.zoom(factor, this.timeAt(x)),
      scroll: (dx) => this.viewport.pan(dx / this.width),
    });
  }

  /** Count from `origin`, and begin anew with this span, in ns. */
  align(origin: number, from: number, to: number): void {
    this.origin = origin;
    this.viewport.widen(from, to);
    clearTimeout(this.staying);
    this.history = new History([from, to]);
  }

  async embed(bokeh: Bokeh, item: unknown): Promise<void> {
    this.figure = await Figure.create(bokeh, item, this.canvas);
    this.scene = new Scene(this.trace, this.layout, this.viewport, this.figure);
    this.scene.setTheme(this.theme);
    this.observer.observe(this.plot);
  }

  remove(): void {
    clearTimeout(this.staying);
    this.observer.disconnect();
    this.figure?.remove();
  }

  /** Arrows on the screen. */
  get arrows(): number {
    return this.scene?.arrows ?? 0;
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.scene?.setTheme(theme);
    this.resized();
  }

  /** Light this chain, other events beside it, or both, and dim the rest; nothing lights everything. */
  light(chain: Chain | null, calls: number[] = []): void {
    this.scene?.light(chain, calls);
    this.schedule();
  }

  /** Lay the tracks out anew after a change of `arrangement` or of what is folded. */
  arrange(): void {
    this.layout.arrange(this.arrangement.groups(), this.arrangement.heights);
    const labels = lanes(
      this.layout,
      (track) => this.fold(track),
      (track) => this.counters?.labelOf(track),
    );
    this.labels.replaceWith(labels);
    this.labels = labels;
    this.plot.style.height = `${Math.min(this.layout.height, this.room)}px`;
    this.element.style.setProperty("--nbp-room", `${this.room}px`);
    this.body.style.height = `${this.layout.height}px`;
    this.schedule();
    this.tellArrangement();
  }

  /** Take over an arrangement from outside, without telling of it. */
  takeArrangement(state: unknown): void {
    this.arrangement.take(state);
    this.told = JSON.stringify(this.arrangement.state);
    this.arrange();
  }

  /** Give a track so many pixels in all, or its usual height. */
  resize(track: number, pixels: number | null): void {
    this.arrangement.resize(track, pixels === null ? null : this.layout.rowHeightFor(track, pixels));
    this.arrange();
  }

  private tellArrangement(): void {
    const now = JSON.stringify(this.arrangement.state);
    if (now === this.told) return;
    this.told = now;
    this.listener.arranged();
  }

  /** Give the lanes this many pixels before they scroll. */
  setRoom(room: number): void {
    this.room = Math.max(80, room);
    this.arrange();
  }

  fold(track: number): void {
    const { folded } = this.layout;
    if (!folded.delete(track)) folded.add(track);
    this.arrange();
  }

  /** Bring an event into view, unfolding and showing its track where need be. */
  reveal(row: number): void {
    const { events } = this.trace;
    this.viewport.reveal(events.start[row], events.end(row));
    const displayRow = events.rowOf(row);
    if (!this.layout.has(displayRow)) {
      this.layout.folded.delete(this.layout.rowTrack[displayRow]);
      this.arrangement.show(this.layout.rowTrack[displayRow], true);
      this.arrange();
    }
    const y = this.layout.middle(displayRow);
    const { scrollTop } = this.element;
    const height = this.plot.clientHeight;
    if (y < scrollTop || y > scrollTop + height) this.element.scrollTop = y - height / 2;
  }

  scroll(pixels: number): void {
    this.element.scrollTop += pixels;
  }

  turn(by: "back" | "forward"): void {
    this.settle();
    const view = this.history[by]();
    if (!view) return;
    this.viewport.show(...view);
    clearTimeout(this.staying);
  }

  /** Where an event is drawn, in client pixels: the middle of what can be seen of it. */
  pixel(row: number): { x: number; y: number } {
    const { events } = this.trace;
    const { x0, x1, span } = this.viewport;
    const box = this.surface.getBoundingClientRect();
    const middle = (Math.max(events.start[row], x0) + Math.min(events.end(row), x1)) / 2;
    const y = this.layout.middle(events.rowOf(row)) - this.element.scrollTop;
    return { x: box.left + ((middle - x0) / span) * box.width, y: box.top + y };
  }

  private stay(): void {
    clearTimeout(this.staying);
    this.staying = setTimeout(() => this.settle(), STAY_MS);
  }

  private settle(): void {
    clearTimeout(this.staying);
    this.history.visit([this.viewport.x0, this.viewport.x1]);
  }

  private get width(): number {
    return this.plot.clientWidth;
  }

  private timeAt(clientX: number): number {
    const box = this.surface.getBoundingClientRect();
    return this.viewport.x0 + ((clientX - box.left) / box.width) * this.viewport.span;
  }

  private eventAt(clientX: number, clientY: number): number | null {
    const y = clientY - this.surface.getBoundingClientRect().top + this.element.scrollTop;
    const row = this.layout.rowAt(y);
    if (row < 0) return null;
    const event = hit(this.trace.events, row, this.timeAt(clientX), (SLOP * this.viewport.span) / this.width);
    return event < 0 ? null : event;
  }

  private click(x: number, y: number): void {
    this.leave();
    this.listener.select(this.eventAt(x, y));
  }

  private hover(x: number, y: number): void {
    this.counters?.point(this.timeAt(x));
    const event = this.eventAt(x, y);
    if (event === null) return this.hoverCounter(x, y);
    this.surface.classList.add("nbp-over");
    this.listener.hover(this.about(event), x, y);
  }

  private hoverCounter(x: number, y: number): void {
    const height = y - this.surface.getBoundingClientRect().top + this.element.scrollTop;
    const lines = this.counters?.about(height, this.timeAt(x));
    this.surface.classList.remove("nbp-over");
    if (lines) this.listener.hover(lines, x, y);
    else this.listener.leave();
  }

  /** What a tooltip says of an event, or of all that begin within its pixel. */
  private about(event: number): string[] {
    const { trace } = this;
    const { events } = trace;
    const pixel = this.viewport.span / this.width;
    const start = events.start[event];
    if (events.dur[event] < pixel) {
      const found = density(trace, events.rowOf(event), start - pixel / 2, start + pixel / 2);
      if (found.events > 1)
        return [...densityText(found), trace.track(event).label, "zoom in to take them apart"];
    }
    const length = events.dur[event] ? duration(events.dur[event]) : "no duration";
    const cutOff = trace.isCutOff(event) ? ["still running when the profile ended"] : [];
    return [
      trace.name(event),
      `${length}, begins at ${duration(start - this.origin)}`,
      trace.track(event).label,
      ...cutOff,
    ];
  }

  private leave(): void {
    this.counters?.point(null);
    this.surface.classList.remove("nbp-over");
    this.listener.leave();
  }

  private drag(dx: number, dy: number): void {
    this.viewport.pan(-dx / this.width);
    this.element.scrollTop -= dy;
  }

  private mark(mode: DragMode, from: number, to: number, done: boolean): void {
    const [a, b] = [this.timeAt(from), this.timeAt(to)].sort((x, y) => x - y);
    this.spans.drag(done ? null : [a, b]);
    if (!done) return;
    if (mode === "zoom") this.viewport.show(a, b);
    else this.listener.measured([Math.round(a), Math.round(b)]);
  }

  private resized(): void {
    if (this.width) this.overview.draw(this.width, this.theme);
    this.schedule();
  }

  /** Draw once for all changes of this moment, still before the browser paints. */
  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    queueMicrotask(() => {
      this.scheduled = false;
      if (!this.scene) return;
      if (this.width) this.draw(this.scene);
      // JupyterLab hides everything for less than a frame while it changes its theme.
      else requestAnimationFrame(() => this.width && this.resized());
    });
  }

  private draw(scene: Scene): void {
    const { width } = this;
    const top = this.element.scrollTop;
    this.overview.mark();
    this.outside.draw();
    this.spans.draw();
    const ticks = this.axis.draw(this.viewport, this.origin, width);
    const window = { width, top, bottom: top + this.plot.clientHeight };
    scene.draw(window, ticks);
    this.counters?.draw(window, this.theme);
    this.frames++;
    this.dark = this.theme.dark;
  }
}

/** A track without rows of events, below the lanes. */
function counterTrack({ label, instance, process }: CounterInfo, { lanes }: Meta): TrackInfo {
  return { label, lane: lanes.length, rows: 0, instance, process };
}
