/** Pixels that the pointer may move in a click. */
const STILL = 4;

export interface Gestures {
  /** A click, in client pixels. */
  click(x: number, y: number): void;
  doubleClick(x: number, y: number): void;
  hover(x: number, y: number): void;
  leave(): void;
  /** A drag, in pixels since its last report. */
  drag(dx: number, dy: number): void;
  /** Zoom around a point; below 1 shows less time. */
  zoom(factor: number, x: number): void;
  /** Sideways wheel, in pixels. */
  scroll(dx: number): void;
}

/** Pointer and wheel. A wheel without Ctrl is left to the page, which scrolls as everywhere else. */
export function listen(surface: HTMLElement, gestures: Gestures): void {
  let pressed: { x: number; y: number; moved: boolean } | null = null;

  surface.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    pressed = { x: event.clientX, y: event.clientY, moved: false };
    surface.setPointerCapture(event.pointerId);
  });
  surface.addEventListener("pointermove", (event) => {
    if (!pressed) return gestures.hover(event.clientX, event.clientY);
    const dx = event.clientX - pressed.x;
    const dy = event.clientY - pressed.y;
    if (!pressed.moved && Math.hypot(dx, dy) < STILL) return;
    pressed = { x: event.clientX, y: event.clientY, moved: true };
    surface.classList.add("nbp-dragged");
    gestures.leave();
    gestures.drag(dx, dy);
  });
  surface.addEventListener("pointerup", (event) => {
    if (pressed && !pressed.moved) gestures.click(event.clientX, event.clientY);
    release();
  });
  surface.addEventListener("pointercancel", release);
  surface.addEventListener("pointerleave", () => gestures.leave());
  surface.addEventListener("dblclick", (event) => gestures.doubleClick(event.clientX, event.clientY));
  surface.addEventListener(
    "wheel",
    (event) => {
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (event.ctrlKey || event.metaKey) gestures.zoom(1.0025 ** pixels(event.deltaY, event), event.clientX);
      else if (sideways) gestures.scroll(pixels(event.deltaX, event));
      else return;
      event.preventDefault();
    },
    { passive: false },
  );

  function release(): void {
    pressed = null;
    surface.classList.remove("nbp-dragged");
  }
}

function pixels(delta: number, event: WheelEvent): number {
  return event.deltaMode === WheelEvent.DOM_DELTA_LINE ? delta * 20 : delta;
}
