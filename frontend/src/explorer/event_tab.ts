import type { Trace } from "../core/trace.ts";
import { details, type Asked } from "./details.ts";
import { h } from "./dom.ts";
import { keepFocus } from "./focus.ts";

/** An answer that takes longer than this is spoken of. */
const PATIENCE_MS = 2000;

/** Everything about the selected event; arguments that did not travel with it are fetched where somebody has them. */
export class EventTab {
  readonly element = h("div");
  /** Who has the arguments; rejects when they cannot be had any more. */
  fetchArgs: ((row: number) => Promise<string>) | null = null;
  private row: number | null = null;

  constructor(
    private readonly trace: Trace,
    /** Called when arguments of the shown event have come. */
    private readonly learned: () => void,
  ) {
    this.show(null);
  }

  show(row: number | null): void {
    this.row = row;
    const missing = row !== null && this.trace.args(row) === null;
    if (missing && this.fetchArgs) void this.ask(row, this.fetchArgs(row));
    else this.draw("absent");
  }

  private async ask(row: number, answer: Promise<string>): Promise<void> {
    const show = (asked: Asked) => this.row === row && this.draw(asked);
    show("asked");
    const late = setTimeout(() => show("waiting"), PATIENCE_MS);
    try {
      this.trace.learnArgs(row, await answer);
      if (show("absent") !== false) this.learned();
    } catch {
      show("failed");
    } finally {
      clearTimeout(late);
    }
  }

  private draw(asked: Asked): void {
    keepFocus(this.element, () => this.element.replaceChildren(details(this.trace, this.row, asked)));
  }
}
