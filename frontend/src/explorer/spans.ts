import { duration } from "../core/time.ts";
import type { Span, Viewport } from "../core/viewport.ts";
import { h } from "./dom.ts";

/** Measured spans, and the one that is being dragged: bands below the events, edges and lengths above them. */
export class Spans {
  readonly bands = h("div", { class: "nbp-spans", "aria-hidden": "true" });
  readonly labels = h("div", { class: "nbp-spans", "aria-hidden": "true" });
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
    if (!spans.length && !this.bands.childElementCount) return;
    const { x0, span: shown } = this.viewport;
    const inView = spans
      .map(([from, to], i) => ({
        left: (from - x0) / shown,
        right: (to - x0) / shown,
        text: this.text(i, from, to),
      }))
      .filter(({ left, right }) => left <= 1 && right >= 0);
    this.bands.replaceChildren(...inView.map(({ left, right }) => band("nbp-band", left, right)));
    this.labels.replaceChildren(...inView.map(({ left, right }) => band("nbp-edges", left, right)));
    for (const { left, right, text } of inView) this.label(text, Math.max(0, left), Math.min(1, right));
  }

  private text(index: number, from: number, to: number): string {
    const number = index < this.pinned.length && this.pinned.length > 1 ? `${index + 1}: ` : "";
    return number + (to > from ? duration(to - from) : "…");
  }

  /** In the middle of what can be seen of its span, and never cut: a part of a number is another number. */
  private label(text: string, left: number, right: number): void {
    const label = h("span", {}, text);
    this.labels.append(label);
    const room = this.labels.clientWidth;
    const x = ((left + right) / 2) * room - label.offsetWidth / 2;
    label.style.left = `${Math.max(0, Math.min(x, room - label.offsetWidth))}px`;
  }
}

function band(name: string, left: number, right: number): HTMLElement {
  const element = h("div", { class: name });
  // What lies far outside is cut off just beyond the edge.
  const [from, to] = [Math.max(left, -0.01), Math.min(right, 1.01)];
  element.style.left = `${100 * from}%`;
  element.style.width = `${100 * (to - from)}%`;
  return element;
}
