import { arrow, type Box, type Curve } from "../core/arrows.ts";
import type { Chain } from "../core/chain.ts";
import { DIMMED, LIGHT, Palette, WAITING, type Theme } from "../core/colours.ts";
import type { Trace } from "../core/trace.ts";
import type { Layout } from "../core/layout.ts";
import { LevelOfDetail } from "../core/lod.ts";
import { duration, type Tick } from "../core/time.ts";
import type { Viewport } from "../core/viewport.ts";
import { noBars, type Bars, type Figure } from "./figure.ts";
import { PADDING, TextFitter } from "./labels.ts";

/** CSS pixels from which on an event is drawn as a bar of its own. */
const WIDE = 3;
const MAX_LABELS = 80;
const NARROWEST_LABEL = 34;
/** Rows flatter than this have no labels. */
const LOWEST_LABEL = 12;
/** More labels than this wait until the movement settles. */
const LIVE_LABELS = 40;
const SETTLE_MS = 90;
/** Before the name of a frame that outlasts the profile. */
const CUT_OFF = "⇥";
/** Events of a chain that are outlined, and arrows among them. */
export const MAX_MARKS = 400;
const NARROWEST_MARK = 4;
/** Nothing is drawn farther than this beside the figure, in pixels. */
const FAR = 4000;

/** The part of the timeline on the screen, heights and width in CSS pixels. */
export interface Window {
  width: number;
  top: number;
  bottom: number;
}

interface Arrow {
  curve: Curve;
  /** Made by a rule that only guesses. */
  guessed: boolean;
  /** By how much the target begins before the source, ns. */
  skew: number;
}

/** Draws frames into the figure: events, labels, and the chosen chain with its arrows. */
export class Scene {
  /** Arrows of the chain that are drawn. */
  arrows = 0;
  private readonly detail: LevelOfDetail;
  private readonly fitter = new TextFitter();
  private theme: Theme = LIGHT;
  private palette = new Palette(LIGHT, false);
  private bright = new Palette(LIGHT, false);
  private chain: Chain | null = null;
  private calls: number[] = [];
  /** Events of the chain that are outlined. */
  private marked = new Set<number>();
  /** Those and all calls. */
  private lit = new Set<number>();
  private skews: Arrow[] = [];
  private pendingLabels: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly trace: Trace,
    private readonly layout: Layout,
    private readonly viewport: Viewport,
    private readonly figure: Figure,
  ) {
    this.detail = new LevelOfDetail(trace.events, layout);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.figure.style("grid", { line_color: theme.grid });
    this.figure.style("waits", { hatch_color: theme.hatch });
    this.figure.style("marks", { line_color: theme.arrow });
    this.figure.style("arrows", { line_color: theme.arrow });
    this.figure.style("guesses", { line_color: theme.arrow });
    this.figure.style("heads", { fill_color: theme.arrow });
    this.bright = new Palette(theme, false);
    this.light(this.chain, this.calls);
  }

  /** Light a chain, other events beside it, or both, and dim the rest; nothing lights everything. */
  light(chain: Chain | null, calls: number[] = []): void {
    this.chain = chain;
    const { start } = this.trace.events;
    this.calls = [...calls].sort((a, b) => start[a] - start[b]);
    const dims = chain !== null || calls.length > 0;
    this.marked = new Set(chain?.nodes.slice(0, MAX_MARKS));
    this.lit = new Set([...this.marked, ...calls]);
    this.palette = dims ? new Palette(this.theme, true) : this.bright;
    this.figure.style("waits", { hatch_alpha: dims ? DIMMED : 1 });
  }

  draw(window: Window, ticks: Tick[]): void {
    const { x0, x1 } = this.viewport;
    this.figure.range(x0, x1, window.top, window.bottom);
    this.figure.set("grid", { x: ticks.map((tick) => tick.time) });
    const ratio = devicePixelRatio;
    const columns = Math.max(1, Math.round(window.width * ratio));
    const rows = this.layout.visible(window.top, window.bottom);
    this.detail.draw({ x0, x1, rows, columns, wide: WIDE * ratio }, this.palette.raster);
    const { image, lines, top } = this.detail;
    this.figure.picture(image, lines, x0, x1, top, lines * 2);
    this.drawSlices();
    this.drawChain(window);
    this.drawLabels(window);
  }

  private drawSlices(): void {
    const bars = noBars();
    const waits = noBars();
    const { slices, sliceRows } = this.detail;
    slices.forEach((event, i) => {
      const waiting = this.trace.events.colour[event] === WAITING;
      this.addBar(waiting ? waits : bars, event, sliceRows[i], this.palette);
    });
    this.figure.bars("slices", bars);
    this.figure.bars("waits", waits);
  }

  private addBar(bars: Bars, event: number, row: number, palette: Palette, narrowest = 0): void {
    const { events } = this.trace;
    bars.left.push(events.start[event]);
    bars.right.push(Math.max(events.end(event), events.start[event] + narrowest));
    bars.y.push(-this.layout.middle(row));
    bars.height.push(this.layout.rowBar[row]);
    bars.colour.push(palette.bars[events.colour[event]]);
  }

  private drawChain(window: Window): void {
    const perPixel = this.viewport.span / window.width;
    const bars = noBars();
    for (const event of [...this.marked, ...this.callsApart(NARROWEST_MARK * perPixel, window)]) {
      const row = this.trace.events.rowOf(event);
      if (this.layout.has(row)) this.addBar(bars, event, row, this.bright, NARROWEST_MARK * perPixel);
    }
    this.figure.bars("marks", bars);
    const arrows = this.curves(window);
    this.arrows = arrows.length;
    const x = (pixels: number) => this.viewport.x0 + pixels * perPixel;
    const lines = (curves: Curve[]) => ({
      x0: curves.map((c) => x(c.x0)),
      y0: curves.map((c) => -c.y0),
      cx0: curves.map((c) => x(c.cx0)),
      cy0: curves.map((c) => -c.cy0),
      cx1: curves.map((c) => x(c.cx1)),
      cy1: curves.map((c) => -c.cy1),
      x1: curves.map((c) => x(c.x1)),
      y1: curves.map((c) => -c.y1),
    });
    const curves = arrows.map(({ curve }) => curve);
    this.figure.set("arrows", lines(arrows.filter((one) => !one.guessed).map(({ curve }) => curve)));
    this.figure.set("guesses", lines(arrows.filter((one) => one.guessed).map(({ curve }) => curve)));
    this.skews = arrows.filter((one) => one.skew > 0);
    this.figure.set("heads", {
      x: curves.map((c) => x(c.x1)),
      y: curves.map((c) => -c.y1),
      // Bokeh's triangle points up.
      angle: curves.map((c) => c.angle - Math.PI / 2),
    });
  }

  /** The calls in view, without those that lie beneath the outline of one before; `narrowest` is its least width. */
  private callsApart(narrowest: number, { top, bottom }: Window): number[] {
    const { events } = this.trace;
    const { x0, x1 } = this.viewport;
    const ends = new Map(this.layout.visible(top, bottom).map((row) => [row, -Infinity]));
    return this.calls.filter((event) => {
      if (events.start[event] > x1 || events.end(event) < x0 || this.marked.has(event)) return false;
      const row = events.rowOf(event);
      const covered = ends.get(row);
      if (covered === undefined || events.end(event) <= covered) return false;
      ends.set(row, Math.max(events.end(event), events.start[event] + narrowest));
      return true;
    });
  }

  private curves(window: Window): Arrow[] {
    const { links, events, meta } = this.trace;
    const { sources, targets, rule } = links;
    const edges = this.chain?.edges ?? [];
    return edges
      .filter((edge) => this.isDrawn(sources[edge]) && this.isDrawn(targets[edge]))
      .slice(0, MAX_MARKS)
      .map((edge) => ({
        curve: arrow(this.box(sources[edge], window), this.box(targets[edge], window)),
        guessed: meta.rules[rule[edge]].guessed,
        // What follows from a call begins before it: the clocks of the two disagree.
        skew: links.isOwner(edge) ? 0 : events.start[sources[edge]] - events.start[targets[edge]],
      }));
  }

  private isDrawn(event: number): boolean {
    return this.marked.has(event) && this.layout.has(this.trace.events.rowOf(event));
  }

  /** Where an event is drawn, in pixels from the top left of the timeline. */
  private box(event: number, window: Window): Box {
    const { events } = this.trace;
    const pixel = (time: number) => {
      const x = ((time - this.viewport.x0) / this.viewport.span) * window.width;
      return Math.min(Math.max(x, -FAR), window.width + FAR);
    };
    const row = events.rowOf(event);
    const left = pixel(events.start[event]);
    const top = this.layout.rowTop[row];
    const right = Math.max(pixel(events.end(event)), left + NARROWEST_MARK);
    return { left, right, top, bottom: top + this.layout.rowBar[row] };
  }

  /** Many labels are dear to draw: while things move they go along as they are, and are drawn anew when still. */
  private drawLabels(window: Window): void {
    clearTimeout(this.pendingLabels);
    const wide = this.labelled(window);
    if (wide.length <= LIVE_LABELS) this.setLabels(wide, window);
    else this.pendingLabels = setTimeout(() => this.setLabels(wide, window), SETTLE_MS);
  }

  /** The widest bars that have room for a label. */
  private labelled(window: Window): number[] {
    const { start } = this.trace.events;
    const { x0, x1, span } = this.viewport;
    const shown = (event: number) => Math.min(this.trace.events.end(event), x1) - Math.max(start[event], x0);
    const least = (NARROWEST_LABEL * span) / window.width;
    return this.detail.slices
      .filter((event) => shown(event) >= least)
      .filter((event) => this.layout.rowBar[this.trace.events.rowOf(event)] >= LOWEST_LABEL)
      .sort((a, b) => shown(b) - shown(a))
      .slice(0, MAX_LABELS);
  }

  private setLabels(labelled: number[], window: Window): void {
    const { events } = this.trace;
    const { x0, x1, span } = this.viewport;
    const perPixel = span / window.width;
    const labels = {
      x: [] as number[],
      y: [] as number[],
      text: [] as string[],
      colour: [] as string[],
      ground: [] as (string | null)[],
    };
    for (const event of labelled) {
      const left = Math.max(events.start[event], x0);
      const width = (Math.min(events.end(event), x1) - left) / perPixel;
      const palette = this.lit.has(event) ? this.bright : this.palette;
      labels.x.push(left + PADDING * perPixel);
      labels.y.push(-this.layout.middle(events.rowOf(event)));
      const name = this.trace.name(event);
      labels.text.push(this.fitter.fit(this.trace.isCutOff(event) ? `${CUT_OFF} ${name}` : name, width));
      labels.colour.push(palette.text[events.colour[event]]);
      labels.ground.push(null);
    }
    for (const { curve, skew } of this.skews) {
      labels.x.push(x0 + (Math.min(curve.x0, curve.x1) + PADDING) * perPixel);
      labels.y.push(-(curve.y0 + curve.y1) / 2);
      labels.text.push(`clock skew ≥ ${duration(skew)}`);
      labels.colour.push(this.theme.arrow);
      labels.ground.push(this.theme.background);
    }
    this.figure.set("labels", labels);
  }
}
