import { Palette, type Theme } from "../core/colours.ts";
import type { EventTable } from "../core/events.ts";
import { UNIT, type Layout } from "../core/layout.ts";
import { LevelOfDetail } from "../core/lod.ts";
import type { Span, Viewport } from "../core/viewport.ts";
import { h } from "./dom.ts";

const HEIGHT = 36;
const EDGE = 8;
/** Height of the marks of found events, at the bottom. */
const HITS = 5;

/** The whole trace in a strip, with the part that the timeline shows marked; drag it, or press beside it. */
export class Overview {
  private readonly canvas = h("canvas", { height: HEIGHT / UNIT });
  private readonly marks = h("canvas", { class: "nbp-hits", height: 1 });
  private readonly brush = h("div", { class: "nbp-brush" });
  readonly element = h(
    "div",
    { class: "nbp-overview", "aria-hidden": "true" },
    this.canvas,
    this.marks,
    this.brush,
  );
  private readonly detail: LevelOfDetail;
  /** Every display row of the trace, hidden or not. */
  private readonly rows: number[];
  private hits: Uint32Array | number[] = [];
  private width = 0;
  private theme: Theme | null = null;
  private drawn: Span | null = null;

  constructor(
    private readonly events: EventTable,
    layout: Layout,
    private readonly viewport: Viewport,
  ) {
    this.detail = new LevelOfDetail(events, strips(layout));
    this.rows = Array.from({ length: events.rows }, (_, row) => row);
    this.marks.style.height = `${HITS}px`;
    this.element.addEventListener("pointerdown", (event) => this.press(event));
  }

  /** Columns of the overview in which found events lie. */
  get marked(): number {
    return this.marks.width ? countOpaque(this.marks) : 0;
  }

  /** Draw the strip; the brush alone moves with `mark`. */
  draw(width: number, theme: Theme): void {
    this.width = Math.max(1, Math.round(width));
    this.theme = theme;
    const [x0, x1] = this.viewport.extent;
    this.drawn = this.viewport.extent;
    const view = { x0, x1, rows: this.rows, columns: this.width, wide: Infinity };
    this.detail.draw(view, new Palette(theme, false).raster);
    this.canvas.width = view.columns;
    const { image, lines } = this.detail;
    const pixels = new Uint8ClampedArray(image.buffer as ArrayBuffer, 0, lines * view.columns * 4);
    this.canvas.getContext("2d")!.putImageData(new ImageData(pixels, view.columns), 0, 2);
    this.drawHits();
  }

  /** Mark these events, each once. */
  show(hits: Uint32Array | number[]): void {
    this.hits = hits;
    if (this.width) this.drawHits();
  }

  mark(): void {
    const [min, max] = this.viewport.extent;
    if (
      this.theme &&
      this.drawn !== this.viewport.extent &&
      (this.drawn?.[0] !== min || this.drawn[1] !== max)
    )
      this.draw(this.width, this.theme);
    const { x0, span } = this.viewport;
    this.brush.style.left = `${((x0 - min) / (max - min)) * 100}%`;
    this.brush.style.width = `${(span / (max - min)) * 100}%`;
  }

  private drawHits(): void {
    const [min, max] = this.viewport.extent;
    const image = new ImageData(this.width, 1);
    const colour = this.theme?.dark ? [0xff, 0xd2, 0x4d, 255] : [0xb0, 0x00, 0x5e, 255];
    for (const hit of this.hits) {
      const column = Math.floor(((this.events.start[hit] - min) / (max - min)) * this.width);
      if (column >= 0 && column < this.width) image.data.set(colour, column * 4);
    }
    this.marks.width = this.width;
    this.marks.getContext("2d")!.putImageData(image, 0, 0);
  }

  private press(event: PointerEvent): void {
    const box = this.element.getBoundingClientRect();
    const [min, max] = this.viewport.extent;
    const perPixel = (max - min) / box.width;
    const at = min + (event.clientX - box.left) * perPixel;
    const { x0, x1, span } = this.viewport;
    const reach = Math.min(EDGE * perPixel, span / 4);
    const edge = Math.abs(at - x0) < reach ? "left" : Math.abs(at - x1) < reach ? "right" : "none";
    const grip = at >= x0 && at <= x1 && span < max - min ? at - x0 : span / 2;
    const move = (to: PointerEvent) => {
      const time = Math.min(Math.max(min + (to.clientX - box.left) * perPixel, min), max);
      if (edge === "left") this.viewport.show(Math.min(time, x1), x1);
      else if (edge === "right") this.viewport.show(x0, Math.max(time, x0));
      else this.viewport.moveTo(Math.min(Math.max(time - grip, min), max - span));
    };
    if (edge === "none") move(event);
    this.element.setPointerCapture(event.pointerId);
    this.element.addEventListener("pointermove", move);
    const stop = () => this.element.removeEventListener("pointermove", move);
    this.element.addEventListener("pointerup", stop, { once: true });
    this.element.addEventListener("pointercancel", stop, { once: true });
  }
}

function countOpaque(canvas: HTMLCanvasElement): number {
  const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, 1);
  return data.filter((value, i) => i % 4 === 3 && value > 0).length;
}

/** One thin strip for each track, all depths in it; many tracks share the strips. */
function strips(layout: Layout): Pick<Layout, "rowTop" | "rowBar"> {
  const tracks = 1 + layout.rowTrack.reduce((most, track) => Math.max(most, track), 0);
  const count = Math.min(tracks, 8);
  const pitch = Math.floor((HEIGHT - 4) / count / UNIT) * UNIT;
  return {
    rowTop: Float64Array.from(layout.rowTrack, (track) => Math.floor((track * count) / tracks) * pitch),
    rowBar: Float64Array.from(layout.rowTrack, () => Math.max(UNIT, pitch - UNIT)),
  };
}
