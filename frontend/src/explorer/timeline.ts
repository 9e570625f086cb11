import type { Chain } from "../core/chain.ts";
import { LIGHT, type Theme } from "../core/colours.ts";
import type { Trace } from "../core/trace.ts";
import { countStarts, hit } from "../core/hit.ts";
import { FULL_HEIGHT, Layout } from "../core/layout.ts";
import { Viewport } from "../core/viewport.ts";
import { Axis } from "./axis.ts";
import type { Bokeh } from "./bokeh.ts";
import { h } from "./dom.ts";
import { Figure } from "./figure.ts";
import { listen } from "./gestures.ts";
import { lanes } from "./lanes.ts";
import { Overview } from "./overview.ts";
import { Scene } from "./scene.ts";

/** Work in less than this share of the trace is shown larger at first. */
const LITTLE = 0.75;
/** Pixels around the pointer in which an event counts as hit. */
const SLOP = 4;

export interface TimelineListener {
  select(row: number | null): void;
  /** A double click on an event. */
  zoom(): void;
  /** `together` events begin within the pixel of `row`. */
  hover(row: number, together: number, x: number, y: number): void;
  leave(): void;
}

/** The lanes: a Bokeh figure above bands and labels, an axis and an overview, all over one span of time. */
export class Timeline {
  readonly viewport: Viewport;
  readonly surface = h("div", {
    class: "nbp-surface",
    tabindex: 0,
    role: "application",
    "aria-label":
      "Timeline. W and S zoom, A and D move, 0 shows everything, F zooms to the selected chain, " +
      "N and P select the next and previous call, Escape clears the selection.",
  });
  readonly element = h("div", { class: "nbp-timeline" });
  /** Frames drawn so far. */
  frames = 0;
  /** Whether the last one was drawn for a dark page. */
  dark = false;
  private readonly layout: Layout;
  private readonly plot = h("div", { class: "nbp-plot" });
  private readonly canvas = h("div", { class: "nbp-canvas", "aria-hidden": "true" });
  private readonly axis = new Axis();
  private readonly overview: Overview;
  private readonly observer = new ResizeObserver(() => this.resized());
  private figure: Figure | null = null;
  private scene: Scene | null = null;
  private theme = LIGHT;
  private scheduled = false;

  constructor(
    private readonly trace: Trace,
    private readonly listener: TimelineListener,
  ) {
    const { events, meta } = trace;
    this.layout = new Layout(meta.lanes, meta.tracks);
    this.viewport = new Viewport(events.first, events.last);
    this.overview = new Overview(events, this.layout, this.viewport);
    this.showWork();
    const body = h("div", { class: "nbp-body" }, lanes(this.layout), this.plot);
    this.plot.append(this.canvas, this.surface);
    this.plot.style.height = `${Math.min(this.layout.height, FULL_HEIGHT)}px`;
    body.style.height = `${this.layout.height}px`;
    const times = h("div", { class: "nbp-times" }, this.overview.element, this.axis.element);
    this.element.append(times, body);
    this.element.addEventListener("scroll", () => this.schedule());
    this.viewport.onChange(() => this.schedule());
    listen(this.surface, {
      click: (x, y) => this.click(x, y),
      doubleClick: (x, y) => this.eventAt(x, y) !== null && this.listener.zoom(),
      hover: (x, y) => this.hover(x, y),
      leave: () => this.leave(),
      drag: (dx, dy) => this.drag(dx, dy),
      zoom: (factor, x) => this.viewport.zoom(factor, this.timeAt(x)),
      scroll: (dx) => this.viewport.pan(dx / this.width),
    });
  }

  async embed(bokeh: Bokeh, item: unknown): Promise<void> {
    this.figure = await Figure.create(bokeh, item, this.canvas);
    this.scene = new Scene(this.trace, this.layout, this.viewport, this.figure);
    this.scene.setTheme(this.theme);
    this.observer.observe(this.plot);
  }

  remove(): void {
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

  /** Light this chain and dim the rest; null lights everything. */
  light(chain: Chain | null): void {
    this.scene?.light(chain);
    this.schedule();
  }

  /** Bring an event into view. */
  reveal(row: number): void {
    const { events } = this.trace;
    this.viewport.reveal(events.start[row], events.end(row));
    const y = this.layout.middle(events.rowOf(row));
    const { scrollTop } = this.element;
    const height = this.plot.clientHeight;
    if (y < scrollTop || y > scrollTop + height) this.element.scrollTop = y - height / 2;
  }

  scroll(pixels: number): void {
    this.element.scrollTop += pixels;
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

  /** Begin with the time in which operators run: a profiler's step may be much longer than the work in it. */
  private showWork(): void {
    const { events } = this.trace;
    let first = Infinity;
    let last = -Infinity;
    for (let i = 0; i < events.count; i++) {
      if (!events.colour[i]) continue;
      first = Math.min(first, events.start[i]);
      last = Math.max(last, events.end(i));
    }
    if (first <= last && last - first < LITTLE * (events.last - events.first))
      this.viewport.focus(first, last);
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
    const event = this.eventAt(x, y);
    if (event === null) return this.leave();
    this.surface.classList.add("nbp-over");
    const { events } = this.trace;
    const pixel = this.viewport.span / this.width;
    const start = events.start[event];
    const alone = events.dur[event] >= pixel;
    const together = alone
      ? 1
      : countStarts(events, events.rowOf(event), start - pixel / 2, start + pixel / 2);
    this.listener.hover(event, together, x, y);
  }

  private leave(): void {
    this.surface.classList.remove("nbp-over");
    this.listener.leave();
  }

  private drag(dx: number, dy: number): void {
    this.viewport.pan(-dx / this.width);
    this.element.scrollTop -= dy;
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
    const ticks = this.axis.draw(this.viewport, this.trace.events.first, width);
    scene.draw({ width, top, bottom: top + this.plot.clientHeight }, ticks);
    this.frames++;
    this.dark = this.theme.dark;
  }
}
