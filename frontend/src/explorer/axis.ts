import { ticks, type Tick } from "../core/time.ts";
import type { Viewport } from "../core/viewport.ts";
import { h } from "./dom.ts";

/** Times above the lanes, counted from the first event. */
export class Axis {
  readonly element = h("div", { class: "nbp-axis", "aria-hidden": "true" });

  /** Draw for this width and return the ticks, for the grid below. */
  draw(viewport: Viewport, origin: number, width: number): Tick[] {
    const found = ticks(viewport.x0 - origin, viewport.x1 - origin, width);
    const labels = found.map(({ time, label }) => {
      const x = ((time + origin - viewport.x0) / viewport.span) * width;
      const element = h("span", {}, label);
      element.style.left = `${x}px`;
      if (x > width - 60) element.classList.add("nbp-last");
      return element;
    });
    this.element.replaceChildren(...labels);
    return found.map(({ time, label }) => ({ time: time + origin, label }));
  }
}
