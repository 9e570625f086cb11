import { FOLDED, type GroupBox, type Layout, type TrackBox } from "../core/layout.ts";
import { decimal } from "../core/time.ts";
import { button, h } from "./dom.ts";
import { handle } from "./resizing.ts";

/**
 * The bands of the groups with their titles and track labels; the figure lies above them, pixel on pixel. `labelOf`
 * gives a track a label of its own.
 */
export function lanes(
  layout: Layout,
  fold: (track: number) => void,
  labelOf: (track: number) => HTMLElement | undefined,
): HTMLElement {
  return h(
    "div",
    { class: "nbp-lanes" },
    ...layout.groups.map((group) => band(layout, group, fold, labelOf)),
  );
}

function band(
  layout: Layout,
  group: GroupBox,
  fold: (track: number) => void,
  labelOf: (track: number) => HTMLElement | undefined,
): HTMLElement {
  const number = group.number ? h("span", {}, String(group.number)) : null;
  const title = h("div", { class: "nbp-lane-title" }, number, group.title);
  if (!group.boxes.length) title.append(h("small", {}, "no events in this capture"));
  const name = group.number ? `Lane ${group.number}, ${group.title}` : group.title;
  const element = h("div", { class: "nbp-lane", role: "group", "aria-label": name }, title);
  for (const box of group.boxes) {
    const label =
      labelOf(box.track) ?? h("div", { class: "nbp-track", title: box.label }, h("bdi", {}, box.label));
    label.style.lineHeight = `${Math.min(18, box.height)}px`;
    place(label, box.top - group.top, box.height);
    element.append(label);
    const levels = foldButton(layout, box, fold);
    if (levels) {
      levels.style.top = `${box.top - group.top + Math.min(18, box.height)}px`;
      element.append(levels);
    }
    const edge = handle(layout, box);
    edge.style.top = `${box.top - group.top + box.height}px`;
    element.append(edge);
  }
  place(element, group.top, group.height);
  return element;
}

/** The way to the depth rows that are hidden, and back, for a track that has enough of them. */
function foldButton(layout: Layout, box: TrackBox, fold: (track: number) => void): HTMLElement | null {
  const rows = layout.rowsOf(box.track);
  if (rows <= FOLDED) return null;
  const text = box.hidden ? `+${decimal(box.hidden)} levels` : `fold ${decimal(rows)} levels`;
  const label = box.hidden
    ? `${text}: show the other levels of ${box.label}`
    : `${text}: show only the first ${FOLDED} of ${box.label}`;
  const element = button(label, text, () => fold(box.track), "nbp-fold");
  element.dataset["control"] = `fold ${box.track}`;
  element.setAttribute("aria-expanded", String(!box.hidden));
  return element;
}

function place(element: HTMLElement, top: number, height: number): void {
  element.style.top = `${top}px`;
  element.style.height = `${height}px`;
}
