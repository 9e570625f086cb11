/** Pixels that the pointer may move in a click. */
const STILL = 4;
/** Two taps are a double one within so many milliseconds and pixels. */
const DOUBLE_MS = 350;
const DOUBLE_REACH = 24;

/** What a drag with the pointer does: move in time, or mark a span. */
export type DragMode = "pan" | "zoom" | "measure";

export interface Gestures {
  /** Mode of the drag that begins with this press. */
  mode(event: PointerEvent): DragMode;
  /** A click, in client pixels. */
  click(x: number, y: number): void;
  doubleClick(x: number, y: number): void;
  hover(x: number, y: number): void;
  leave(): void;
  /** A drag that moves, in pixels since its last report. */
  drag(dx: number, dy: number): void;
  /** A drag that marks, from one client x to another; `done` when the pointer is up. */
  mark(mode: DragMode, from: number, to: number, done: boolean): void;
  /** The drag that marks has been given up. */
  abandon(): void;
  /** Zoom around a point; below 1 shows less time. */
  zoom(factor: number, x: number): void;
  /** Sideways wheel, in pixels. */
  scroll(dx: number): void;
}

interface Point {
  x: number;
  y: number;
}

interface Press {
  mode: DragMode;
  from: number;
  x: number;
  y: number;
  moved: boolean;
}

/**
 * Pointer, touch and wheel; returns how to give up a drag that has begun. A wheel without Ctrl is left to the page,
 * which scrolls as everywhere else.
 */
export function listen(surface: HTMLElement, gestures: Gestures): () => void {
  let pressed: Press | null = null;
  /** Fingers on the surface; two of them pinch. */
  const fingers = new Map<number, Point>();
  let tapped: (Point & { time: number }) | null = null;

  surface.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    surface.setPointerCapture(event.pointerId);
    const { clientX: x, clientY: y } = event;
    if (event.pointerType === "touch") fingers.set(event.pointerId, { x, y });
    if (fingers.size > 1) abandon();
    else pressed = { mode: gestures.mode(event), from: x, x, y, moved: false };
  });
  surface.addEventListener("pointermove", (event) => {
    if (fingers.size === 2 && fingers.has(event.pointerId)) return pinch(event);
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (!pressed) return gestures.hover(event.clientX, event.clientY);
    const dx = event.clientX - pressed.x;
    const dy = event.clientY - pressed.y;
    if (!pressed.moved && Math.hypot(dx, dy) < STILL) return;
    pressed = { ...pressed, x: event.clientX, y: event.clientY, moved: true };
    surface.classList.add("nbp-dragged");
    gestures.leave();
    if (pressed.mode === "pan") gestures.drag(dx, dy);
    else gestures.mark(pressed.mode, pressed.from, event.clientX, false);
  });
  surface.addEventListener("pointerup", (event) => {
    if (pressed && !pressed.moved) {
      gestures.click(event.clientX, event.clientY);
      if (event.pointerType === "touch") tap(event);
    } else if (pressed && pressed.mode !== "pan")
      gestures.mark(pressed.mode, pressed.from, event.clientX, true);
    release(event);
  });
  surface.addEventListener("pointercancel", (event) => {
    abandon();
    release(event);
  });
  // A finger leaves whenever it is lifted; what it has asked for stays.
  surface.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && gestures.leave());
  // A tap must not become a mouse click as well, on what has come up under the finger since.
  surface.addEventListener("touchend", (event) => event.cancelable && event.preventDefault(), {
    passive: false,
  });
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

  /** What the mouse events would bring that are kept from coming: the focus, and double clicks. */
  function tap({ clientX: x, clientY: y, timeStamp: time }: PointerEvent): void {
    surface.focus({ preventScroll: true });
    const again =
      tapped && time - tapped.time < DOUBLE_MS && Math.hypot(x - tapped.x, y - tapped.y) < DOUBLE_REACH;
    if (again) gestures.doubleClick(x, y);
    tapped = again ? null : { x, y, time };
  }

  /** Two fingers: what lies between them stays between them. */
  function pinch(event: PointerEvent): void {
    const before = [...fingers.values()];
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const after = [...fingers.values()];
    const [from, to] = [before, after].map(([a, b]) => Math.max(8, Math.hypot(a.x - b.x, a.y - b.y)));
    const [was, is] = [before, after].map(([a, b]) => (a.x + b.x) / 2);
    gestures.zoom(from / to, was);
    gestures.drag(is - was, 0);
  }

  function release(event: PointerEvent): void {
    fingers.delete(event.pointerId);
    const [left] = fingers.values();
    // The finger that stays goes on as if it had just been put down, but its lifting is no click.
    pressed = left ? { mode: "pan", from: left.x, ...left, moved: true } : null;
    surface.classList.remove("nbp-dragged");
  }

  function abandon(): void {
    if (pressed?.moved && pressed.mode !== "pan") gestures.abandon();
    pressed = null;
  }

  return abandon;
}

function pixels(delta: number, event: WheelEvent): number {
  return event.deltaMode === WheelEvent.DOM_DELTA_LINE ? delta * 20 : delta;
}
