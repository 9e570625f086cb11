import type { Span } from "./viewport.ts";

const MOST = 100;

/** Views that the reader came from, and those that they went back from. */
export class History {
  private readonly past: Span[] = [];
  private readonly future: Span[] = [];

  constructor(private present: Span) {}

  get canGoBack(): boolean {
    return this.past.length > 0;
  }

  get canGoForward(): boolean {
    return this.future.length > 0;
  }

  /** A view at which the reader stays; what lay ahead is forgotten. */
  visit(view: Span): void {
    if (view[0] === this.present[0] && view[1] === this.present[1]) return;
    this.past.push(this.present);
    if (this.past.length > MOST) this.past.shift();
    this.future.length = 0;
    this.present = view;
  }

  back(): Span | null {
    return this.turn(this.past, this.future);
  }

  forward(): Span | null {
    return this.turn(this.future, this.past);
  }

  private turn(from: Span[], to: Span[]): Span | null {
    const view = from.pop();
    if (!view) return null;
    to.push(this.present);
    this.present = view;
    return view;
  }
}
