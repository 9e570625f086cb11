import type { Layout } from "../core/layout.ts";
import { h } from "./dom.ts";

/** The bands of the lanes with their titles and track labels; the figure lies above them, pixel on pixel. */
export function lanes(layout: Layout): HTMLElement {
  const bands = layout.lanes.map((lane) => {
    const title = h("div", { class: "nbp-lane-title" }, h("span", {}, String(lane.lane + 1)), lane.title);
    if (!lane.tracks.length) title.append(h("small", {}, "no events in this capture"));
    const labels = lane.tracks.map((track) => {
      const label = h("div", { class: "nbp-track", title: track.label }, track.label);
      label.style.lineHeight = `${Math.min(18, track.height)}px`;
      place(label, track.top - lane.top, track.height);
      return label;
    });
    const band = h("div", {
      class: "nbp-lane",
      role: "group",
      "aria-label": `Lane ${lane.lane + 1}, ${lane.title}`,
    });
    band.append(title, ...labels);
    place(band, lane.top, lane.height);
    return band;
  });
  return h("div", { class: "nbp-lanes" }, ...bands);
}

function place(element: HTMLElement, top: number, height: number): void {
  element.style.top = `${top}px`;
  element.style.height = `${height}px`;
}
