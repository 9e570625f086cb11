import type { Span } from "../core/viewport.ts";
import type { Spans } from "./spans.ts";

/** Measures a span of time: by a drag, by a click on each of its ends, or as it is told. */
export class Ruler {
  private on = false;
  /** Time of the end that was clicked, ns. */
  private first: number | null = null;

  constructor(
    private readonly surface: HTMLElement,
    private readonly spans: Spans,
    private readonly listener: { measured(span: Span): void; oneEnd(): void },
  ) {}

  get active(): boolean {
    return this.on;
  }

  set active(on: boolean) {
    this.on = on;
    this.first = null;
    this.spans.drag(null);
    this.surface.classList.toggle("nbp-measuring", on);
  }

  /** One end after the other. */
  click(time: number): void {
    if (this.first === null) {
      this.first = time;
      this.spans.drag([time, time]);
      this.listener.oneEnd();
    } else if (Math.round(time) !== Math.round(this.first)) this.take(this.first, time);
  }

  /** Where the other end would be. */
  hover(time: number): void {
    if (this.first !== null) this.spans.drag(ordered(this.first, time));
  }

  /** A drag, `done` when the pointer is up. */
  drag(from: number, to: number, done: boolean): void {
    if (done) this.take(from, to);
    else this.spans.drag(ordered(from, to));
  }

  take(from: number, to: number): void {
    this.active = false;
    const [a, b] = ordered(from, to);
    this.listener.measured([Math.round(a), Math.round(b)]);
  }
}

function ordered(a: number, b: number): Span {
  return a < b ? [a, b] : [b, a];
}
