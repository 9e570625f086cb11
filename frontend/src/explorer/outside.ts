import type { EventTable } from "../core/events.ts";
import { outside } from "../core/range.ts";
import { decimal } from "../core/time.ts";
import type { Viewport } from "../core/viewport.ts";
import { button, h } from "./dom.ts";
import { keepFocus } from "./focus.ts";

/** Says how many events lie far outside of what is shown at first, on the side where they are; a press shows all. */
export class Outside {
  readonly element = h("div", { class: "nbp-outside" });

  constructor(
    events: EventTable,
    private readonly viewport: Viewport,
  ) {
    const { before, after } = outside(events, viewport.home);
    const all = () => viewport.show(viewport.min, viewport.max);
    for (const [count, side] of [
      [before, "before"],
      [after, "after"],
    ] as const) {
      if (!count) continue;
      const text = `${decimal(count)} ${count === 1 ? "event" : "events"} outside the view`;
      const arrow = side === "before" ? `‹ ${text}` : `${text} ›`;
      this.element.append(button(`${text}, far ${side} it: show everything`, arrow, all, `nbp-${side}`));
    }
  }

  draw(): void {
    const hidden = this.viewport.extent !== this.viewport.home || !this.element.childElementCount;
    if (hidden !== this.element.hidden) keepFocus(this.element, () => (this.element.hidden = hidden));
  }
}
