/** The shortest time that the whole width may show, in ns. */
const SHORTEST = 20;
/** Room around an interval that is focused, as a share of it. */
const ROOM = 0.1;
/** Room left and right of the trace, as a share of it. */
const MARGIN = 0.02;

export type Span = readonly [from: number, to: number];

/** The span of time on the screen, in ns; it never leaves the trace. */
export class Viewport {
  min: number;
  max: number;
  /** What is shown at first: the whole trace, or all of it but a few events far away. */
  home: Span;
  x0: number;
  x1: number;
  private listeners: (() => void)[] = [];

  constructor(first: number, last: number, home: Span = [first, last]) {
    [this.min, this.max] = withMargin(first, last);
    this.home = home[0] === first && home[1] === last ? [this.min, this.max] : withMargin(...home);
    [this.x0, this.x1] = this.home;
  }

  /** Allow this much and make it home: what several views side by side have in common. */
  widen(min: number, max: number): void {
    [this.min, this.max] = [min, max];
    this.home = [min, max];
    this.show(min, max);
  }

  get span(): number {
    return this.x1 - this.x0;
  }

  get isWhole(): boolean {
    return this.x0 <= this.min && this.x1 >= this.max;
  }

  /** What an overview covers: home, or the whole trace once the view leaves it. */
  get extent(): Span {
    return this.x0 >= this.home[0] && this.x1 <= this.home[1] ? this.home : [this.min, this.max];
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

  /** Show home; when that is shown already, the whole trace. */
  whole(): void {
    const [x0, x1] = this.home;
    if (Math.abs(this.x0 - x0) + Math.abs(this.x1 - x1) < (x1 - x0) * 1e-6) this.show(this.min, this.max);
    else this.show(x0, x1);
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

function withMargin(first: number, last: number): [from: number, to: number] {
  const margin = Math.max((last - first) * MARGIN, SHORTEST / 2);
  return [first - margin, last + margin];
}
