import { Palette, type Theme } from "../core/colours.ts";
import type { EventTable } from "../core/events.ts";
import { UNIT, type Layout } from "../core/layout.ts";
import { LevelOfDetail } from "../core/lod.ts";
import type { Viewport } from "../core/viewport.ts";
import { h } from "./dom.ts";

const HEIGHT = 36;
const EDGE = 8;

/** The whole trace in a strip, with the part that the timeline shows marked; drag it, or press beside it. */
export class Overview {
  private readonly canvas = h("canvas", { height: HEIGHT / UNIT });
  private readonly brush = h("div", { class: "nbp-brush" });
  readonly element = h("div", { class: "nbp-overview", "aria-hidden": "true" }, this.canvas, this.brush);
  private readonly detail: LevelOfDetail;

  constructor(
    private readonly events: EventTable,
    layout: Layout,
    private readonly viewport: Viewport,
  ) {
    this.detail = new LevelOfDetail(events, strips(layout));
    this.element.addEventListener("pointerdown", (event) => this.press(event));
  }

  /** Draw the strip; the brush alone moves with `mark`. */
  draw(width: number, theme: Theme): void {
    const { min, max } = this.viewport;
    const rows: [number, number] = [0, this.events.rows];
    const view = { x0: min, x1: max, rows, columns: Math.max(1, Math.round(width)), wide: Infinity };
    this.detail.draw(view, new Palette(theme, false).raster);
    this.canvas.width = view.columns;
    const { image, lines } = this.detail;
    const pixels = new Uint8ClampedArray(image.buffer as ArrayBuffer, 0, lines * view.columns * 4);
    this.canvas.getContext("2d")!.putImageData(new ImageData(pixels, view.columns), 0, 2);
  }

  mark(): void {
    const { min, max, x0, span } = this.viewport;
    this.brush.style.left = `${((x0 - min) / (max - min)) * 100}%`;
    this.brush.style.width = `${(span / (max - min)) * 100}%`;
  }

  private press(event: PointerEvent): void {
    const box = this.element.getBoundingClientRect();
    const perPixel = (this.viewport.max - this.viewport.min) / box.width;
    const at = this.viewport.min + (event.clientX - box.left) * perPixel;
    const { x0, x1, span } = this.viewport;
    const reach = Math.min(EDGE * perPixel, span / 4);
    const edge = Math.abs(at - x0) < reach ? "left" : Math.abs(at - x1) < reach ? "right" : "none";
    const grip = at >= x0 && at <= x1 && !this.viewport.isWhole ? at - x0 : span / 2;
    const move = (to: PointerEvent) => {
      const time = this.viewport.min + (to.clientX - box.left) * perPixel;
      if (edge === "left") this.viewport.show(Math.min(time, x1), x1);
      else if (edge === "right") this.viewport.show(x0, Math.max(time, x0));
      else this.viewport.moveTo(time - grip);
    };
    if (edge === "none") move(event);
    this.element.setPointerCapture(event.pointerId);
    this.element.addEventListener("pointermove", move);
    const stop = () => this.element.removeEventListener("pointermove", move);
    this.element.addEventListener("pointerup", stop, { once: true });
    this.element.addEventListener("pointercancel", stop, { once: true });
  }
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
