import { Arrangement } from "../core/arrangement.ts";
import type { Chain } from "../core/chain.ts";
import { LIGHT, type Theme } from "../core/colours.ts";
import { History } from "../core/history.ts";
import { viewportOf } from "../core/home.ts";
import { FULL_HEIGHT, Layout } from "../core/layout.ts";
import type { CounterInfo, Meta, TrackInfo } from "../core/meta.ts";
import type { Trace } from "../core/trace.ts";
import type { Span, Viewport } from "../core/viewport.ts";
import { Axis } from "./axis.ts";
import type { Bokeh } from "./bokeh.ts";
import { Counters } from "./counters.ts";
import { h, scaleOf } from "./dom.ts";
import { Figure } from "./figure.ts";
import { keepFocus } from "./focus.ts";
import { listen, type DragMode } from "./gestures.ts";
import { lanes } from "./lanes.ts";
import { Outside } from "./outside.ts";
import { Overview } from "./overview.ts";
import { listenToHandles } from "./resizing.ts";
import { Ruler } from "./ruler.ts";
import { Scene } from "./scene.ts";
import { Spans } from "./spans.ts";
import { UnderPointer } from "./under_pointer.ts";

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
  /** The first end of a span to be measured is set. */
  oneEnd(): void;
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
  readonly ruler: Ruler;
  /** Give up a drag that has begun. */
  readonly abandon: () => void;
  /** Frames drawn so far. */
  frames = 0;
  /** Whether the last one was drawn for a dark page. */
  dark = false;
  private readonly body = h("div", { class: "nbp-body" });
  private readonly plot = h("div", { class: "nbp-plot" });
  private readonly canvas = h("div", { class: "nbp-canvas", inert: true });
  /** Of the event that is to be seen. */
  private readonly place = h("div", { class: "nbp-place" });
  private readonly axis = new Axis();
  private readonly outside: Outside;
  private readonly counters: Counters | null;
  private readonly under: UnderPointer;
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
    this.ruler = new Ruler(this.surface, this.spans, this.listener);
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
    const { layout, viewport, surface, counters } = this;
    const scrolled = () => this.element.scrollTop;
    this.under = new UnderPointer(
      trace,
      { layout, viewport, surface, counters, scrolled },
      () => this.origin,
    );
    const { bands, labels } = this.spans;
    this.plot.append(bands, this.canvas, this.counters?.canvas ?? "", labels, this.surface);
    this.body.append(this.labels, this.plot, this.place);
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
    this.abandon = listen(this.surface, {
      mode: (event) => (event.shiftKey ? "zoom" : this.ruler.active ? "measure" : "pan"),
      click: (x, y) => this.click(x, y),
      doubleClick: (x, y) => !this.ruler.active && this.under.event(x, y) !== null && this.listener.zoom(),
      hover: (x, y) => this.hover(x, y),
      leave: () => this.leave(),
      drag: (dx, dy) => this.drag(dx, dy),
      mark: (mode, from, to, done) => this.mark(mode, from, to, done),
      abandon: () => this.spans.drag(null),
      zoom: (factor, x) => this.viewport.zoom(factor, this.under.time(x)),
      scroll: (dx) => this.drag(-dx, 0),
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
    keepFocus(this.body, () => this.labels.replaceWith(labels));
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

  /** Let whatever scrolls around the timeline show an event too. */
  uncover(row: number): void {
    this.place.style.top = `${this.layout.middle(this.trace.events.rowOf(row))}px`;
    this.place.scrollIntoView({ block: "nearest" });
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
    return { x: box.left + ((middle - x0) / span) * box.width, y: box.top + y * scaleOf(this.surface) };
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

  private click(x: number, y: number): void {
    this.leave();
    if (this.ruler.active) return this.ruler.click(this.under.time(x));
    const event = this.under.event(x, y);
    // A counter has nothing to select; a finger, which cannot hover, asks for its value.
    if (event === null && this.under.lines(event, x, y)) return this.hover(x, y);
    this.listener.select(event);
  }

  private hover(x: number, y: number): void {
    const time = this.under.time(x);
    const event = this.under.event(x, y);
    const lines = this.under.lines(event, x, y);
    this.ruler.hover(time);
    this.counters?.point(time);
    this.surface.classList.toggle("nbp-over", event !== null);
    if (lines) this.listener.hover(lines, x, y);
    else this.listener.leave();
  }

  private leave(): void {
    this.counters?.point(null);
    this.surface.classList.remove("nbp-over");
    this.listener.leave();
  }

  private drag(dx: number, dy: number): void {
    this.viewport.pan(-dx / this.surface.getBoundingClientRect().width);
    this.element.scrollTop -= dy / scaleOf(this.surface);
  }

  private mark(mode: DragMode, from: number, to: number, done: boolean): void {
    if (mode === "measure") return this.ruler.drag(this.under.time(from), this.under.time(to), done);
    const [a, b] = [this.under.time(from), this.under.time(to)].sort((x, y) => x - y);
    this.spans.drag(done ? null : [a, b]);
    if (done) this.viewport.show(a, b);
  }

  private resized(): void {
    // Bokeh takes the zoomed size of its element for the size to draw in, and would be zoomed once more.
    this.canvas.style.zoom = String(1 / (this.plot.currentCSSZoom ?? 1));
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
