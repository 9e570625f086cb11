import { COUNTER_HEIGHTS, ROW_HEIGHTS, UNIT, type Layout, type TrackBox } from "../core/layout.ts";
import { h, scaleOf } from "./dom.ts";

const STEP = 4 * UNIT;
const DOUBLE_MS = 400;
const HANDLE = ".nbp-resize";

/** The lower edge of a track's label: drag it, or use the arrow keys; a double click or Delete gives up the height. */
export function handle(layout: Layout, box: TrackBox): HTMLElement {
  const { least, most } = layout.isCounter(box.track) ? COUNTER_HEIGHTS : ROW_HEIGHTS;
  const rows = Math.max(1, layout.rowsOf(box.track) - box.hidden);
  return h("div", {
    class: "nbp-resize",
    role: "separator",
    "aria-orientation": "horizontal",
    tabindex: 0,
    "aria-label": `Height of ${box.label}`,
    "aria-valuenow": box.height,
    "aria-valuemin": least * rows,
    "aria-valuemax": most * rows,
    "aria-valuetext": `${box.height} pixels`,
    "data-track": box.track,
    title: "Drag to resize, double click for the usual height",
  });
}

/**
 * Listen to the handles in `body`, which outlive none of their moves: every change lays the tracks out anew.
 * `resize` gives the whole of a track so many pixels, or null for its usual height.
 */
export function listenToHandles(
  body: HTMLElement,
  layout: Layout,
  resize: (track: number, pixels: number | null) => void,
): void {
  const trackOf = (target: EventTarget | null) => {
    const element = target instanceof Element ? target.closest<HTMLElement>(HANDLE) : null;
    return element ? Number(element.dataset["track"]) : null;
  };
  const focus = (track: number) =>
    body.querySelector<HTMLElement>(`${HANDLE}[data-track="${track}"]`)?.focus({ preventScroll: true });
  let pressed: { track: number; at: number } | null = null;
  const heightOf = (track: number) => layout.boxOf(track)?.height ?? 0;

  body.addEventListener("pointerdown", (event) => {
    const track = trackOf(event.target);
    if (track === null || event.button !== 0) return;
    event.preventDefault();
    // Whoever captures the pointer gets the double click too, so it is not known any more what it was on.
    const again = pressed?.track === track && event.timeStamp - pressed.at < DOUBLE_MS;
    pressed = again ? null : { track, at: event.timeStamp };
    if (again) return resize(track, null);
    const [height, from] = [heightOf(track), event.clientY];
    const move = (to: PointerEvent) => resize(track, height + (to.clientY - from) / scaleOf(body));
    const stop = () => {
      body.removeEventListener("pointermove", move);
      body.removeEventListener("pointerup", stop);
      body.removeEventListener("pointercancel", stop);
      focus(track);
    };
    body.setPointerCapture(event.pointerId);
    body.addEventListener("pointermove", move);
    body.addEventListener("pointerup", stop);
    body.addEventListener("pointercancel", stop);
  });
  body.addEventListener("keydown", (event) => {
    const track = trackOf(event.target);
    if (track === null) return;
    const rows = Math.max(1, Math.round(heightOf(track) / layout.rowHeightFor(track, heightOf(track))));
    const by = { ArrowDown: STEP * rows, ArrowUp: -STEP * rows }[event.key];
    if (by !== undefined) resize(track, heightOf(track) + by);
    else if (event.key === "Delete" || event.key === "Enter") resize(track, null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
