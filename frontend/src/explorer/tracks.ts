import { GROUPINGS, type Grouping } from "../core/grouping.ts";
import { button, h } from "./dom.ts";
import { keepFocus } from "./focus.ts";
import type { Timeline } from "./timeline.ts";

/** How tracks are grouped, which are shown, in which order and how high. */
export class Tracks {
  readonly element = h("div", { class: "nbp-tracks" });

  constructor(private readonly timeline: Timeline) {
    this.draw();
  }

  /** Show the arrangement as it is. */
  draw(): void {
    keepFocus(this.element, () => this.fill());
  }

  private fill(): void {
    const { arrangement } = this.timeline;
    const options = GROUPINGS.map((by) => h("option", { value: by, selected: by === arrangement.by }, by));
    const by = h("select", { "aria-label": "Group tracks by" }, ...options);
    by.addEventListener("change", () => {
      arrangement.by = by.value as Grouping;
      this.changed();
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
    const { arrangement } = this.timeline;
    const { label } = this.timeline.tracks[track];
    const shown = h("input", {
      type: "checkbox",
      checked: !arrangement.hidden.has(track),
      "aria-label": label,
    });
    shown.addEventListener("change", () => {
      arrangement.show(track, shown.checked);
      this.changed();
    });
    const move = (by: -1 | 1) => {
      arrangement.move(track, by);
      this.changed();
    };
    const up = button(`Move ${label} up`, "↑", () => move(-1));
    const down = button(`Move ${label} down`, "↓", () => move(1));
    // Not `disabled`, which would lose the focus of who has just moved a track to its last place.
    up.setAttribute("aria-disabled", String(place === 0));
    down.setAttribute("aria-disabled", String(place === count - 1));
    return h(
      "div",
      { class: "nbp-track-row" },
      h("label", {}, shown, " ", h("bdi", {}, label)),
      up,
      down,
      this.height(track),
    );
  }

  /** Pixels of the whole track; an empty field gives it its usual height. */
  private height(track: number): HTMLElement {
    const box = this.timeline.layout.boxOf(track);
    const { label } = this.timeline.tracks[track];
    const field = h("input", {
      type: "number",
      min: 0,
      step: 8,
      value: box?.height ?? "",
      disabled: !box,
      "aria-label": `Height of ${label} in pixels`,
    });
    // A Tab that leaves the field changes it first; the focus must have arrived before all is drawn anew.
    field.addEventListener("change", () =>
      setTimeout(() => {
        this.timeline.resize(track, field.value === "" ? null : Number(field.value));
        this.draw();
      }),
    );
    return h("label", { class: "nbp-track-height" }, field, " px");
  }

  private changed(): void {
    this.timeline.arrange();
    this.draw();
  }
}
