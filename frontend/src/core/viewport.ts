/** The shortest time that the whole width may show, in ns. */
const SHORTEST = 20;
/** Room around an interval that is focused, as a share of it. */
const ROOM = 0.1;
/** Room left and right of the trace, as a share of it. */
const MARGIN = 0.02;

/** The span of time on the screen, in ns; it never leaves the trace. */
export class Viewport {
  readonly min: number;
  readonly max: number;
  x0: number;
  x1: number;
  private listeners: (() => void)[] = [];

  constructor(first: number, last: number) {
    const margin = Math.max((last - first) * MARGIN, SHORTEST / 2);
    this.min = first - margin;
    this.max = last + margin;
    this.x0 = this.min;
    this.x1 = this.max;
  }

  get span(): number {
    return this.x1 - this.x0;
  }

  get isWhole(): boolean {
    return this.x0 <= this.min && this.x1 >= this.max;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Show this span, or the nearest one that is allowed. */
  show(x0: number, x1: number): void {
    const span = Math.min(Math.max(x1 - x0, SHORTEST), this.max - this.min);
    const start = Math.min(Math.max((x0 + x1 - span) / 2, this.min), this.max - span);
    if (start === this.x0 && start + span === this.x1) return;
    this.x0 = start;
    this.x1 = start + span;
    for (const listener of this.listeners) listener();
  }

  whole(): void {
    this.show(this.min, this.max);
  }

  /** Move by a share of what is shown. */
  pan(share: number): void {
    this.moveTo(this.x0 + share * this.span);
  }

  moveTo(x0: number): void {
    const span = this.span;
    const start = Math.min(Math.max(x0, this.min), this.max - span);
    this.show(start, start + span);
  }

  /** Show `factor` times as much time; `at` stays where it is. */
  zoom(factor: number, at = (this.x0 + this.x1) / 2): void {
    const span = Math.min(Math.max(this.span * factor, SHORTEST), this.max - this.min);
    const start = at - ((at - this.x0) / this.span) * span;
    const inside = Math.min(Math.max(start, this.min), this.max - span);
    this.show(inside, inside + span);
  }

  /** Show an interval with a little room around it. */
  focus(start: number, end: number): void {
    const room = Math.max(end - start, SHORTEST) * ROOM;
    this.show(start - room, end + room);
  }

  /** Move, without zooming, until an interval can be seen. */
  reveal(start: number, end: number): void {
    if (end >= this.x0 && start <= this.x1) return;
    this.moveTo((start + end) / 2 - this.span / 2);
  }
}
