import { duration } from "../core/time.ts";
import type { Span, Viewport } from "../core/viewport.ts";
import { h } from "./dom.ts";

/** Bands over the lanes: spans that were measured, and the one that is being dragged. */
export class Spans {
  readonly element = h("div", { class: "nbp-spans", "aria-hidden": "true" });
  private pinned: readonly Span[] = [];
  private dragged: Span | null = null;

  constructor(private readonly viewport: Viewport) {}

  pin(spans: readonly Span[]): void {
    this.pinned = spans;
    this.draw();
  }

  drag(span: Span | null): void {
    this.dragged = span;
    this.draw();
  }

  draw(): void {
    const spans = this.dragged ? [...this.pinned, this.dragged] : this.pinned;
    if (!spans.length && !this.element.childElementCount) return;
    this.element.replaceChildren(...spans.map((span, i) => this.band(span, i)));
  }

  private band([from, to]: Span, index: number): HTMLElement {
    const { x0, span } = this.viewport;
    const number = index < this.pinned.length && this.pinned.length > 1 ? `${index + 1}: ` : "";
    const label = h("span", {}, number + duration(to - from));
    const band = h("div", { class: "nbp-span" }, label);
    const left = Math.min(Math.max((from - x0) / span, -0.01), 1.01);
    const right = Math.min(Math.max((to - x0) / span, -0.01), 1.01);
    band.style.left = `${100 * left}%`;
    band.style.width = `${100 * (right - left)}%`;
    label.hidden = right === left;
    return band;
  }
}
