import { GROUPINGS, type Grouping } from "../core/grouping.ts";
import type { Trace } from "../core/trace.ts";
import { button, h } from "./dom.ts";
import type { Timeline } from "./timeline.ts";

/** How tracks are grouped, which are shown, in which order and how high. */
export class Tracks {
  readonly element = h("div", { class: "nbp-tracks" });

  constructor(
    private readonly trace: Trace,
    private readonly timeline: Timeline,
  ) {
    this.draw();
  }

  private draw(): void {
    const { arrangement } = this.timeline;
    const options = GROUPINGS.map((by) => h("option", { value: by, selected: by === arrangement.by }, by));
    const by = h("select", { "aria-label": "Group tracks by" }, ...options);
    by.addEventListener("change", () => {
      arrangement.by = by.value as Grouping;
      this.changed();
      this.element.querySelector("select")?.focus();
    });
    const groups = arrangement
      .all()
      .filter(({ tracks }) => tracks.length)
      .map(({ title, tracks }) =>
        h(
          "fieldset",
          {},
          h("legend", {}, title),
          ...tracks.map((track, i) => this.row(track, i, tracks.length)),
        ),
      );
    this.element.replaceChildren(h("label", {}, "Group by ", by), ...groups);
  }

  private row(track: number, place: number, count: number): HTMLElement {
    const { arrangement, layout } = this.timeline;
    const { label } = this.trace.meta.tracks[track];
    const shown = h("input", { type: "checkbox", checked: !arrangement.hidden.has(track) });
    shown.addEventListener("change", () => {
      arrangement.show(track, shown.checked);
      this.timeline.arrange();
    });
    const tall = button(
      `Make ${label} higher or flatter`,
      layout.tall.has(track) ? "flatter" : "higher",
      () => {
        if (!layout.tall.delete(track)) layout.tall.add(track);
        this.changed();
      },
    );
    const move = (by: -1 | 1) => {
      arrangement.move(track, by);
      this.changed();
    };
    const up = button(`Move ${label} up`, "↑", () => move(-1));
    const down = button(`Move ${label} down`, "↓", () => move(1));
    up.disabled = place === 0;
    down.disabled = place === count - 1;
    return h(
      "div",
      { class: "nbp-track-row" },
      h("label", {}, shown, " ", h("bdi", {}, label)),
      up,
      down,
      tall,
    );
  }

  private changed(): void {
    this.timeline.arrange();
    this.draw();
  }
}
