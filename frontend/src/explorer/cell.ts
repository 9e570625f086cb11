import { CellLines } from "../core/lines.ts";
import { decimal, duration } from "../core/time.ts";
import type { Trace } from "../core/trace.ts";
import { h } from "./dom.ts";

/** The profiled cell, line by line; where the capture marks lines, what each did and the way to its chains. */
export class Cell {
  readonly element: HTMLElement;
  private readonly lines: CellLines;
  private readonly items: HTMLElement[];
  private next = 0;

  constructor(
    private readonly trace: Trace,
    source: string,
    private readonly select: (row: number) => void,
  ) {
    this.lines = new CellLines(trace);
    this.items = source
      .replace(/\n+$/, "")
      .split("\n")
      .map((text, i) => this.line(i + 1, text));
    const title = this.lines.costs.size
      ? "the cell, line by line (executions, device time)"
      : "the cell; this capture does not say which line an event belongs to";
    this.element = h("div", { class: "nbp-cell" }, h("p", {}, title), h("ol", {}, ...this.items));
  }

  /** Mark the line of a chain. */
  mark(nodes: number[]): void {
    const line = this.lines.lineOf(nodes);
    this.items.forEach((item, i) => {
      item.classList.toggle("nbp-chosen", i + 1 === line);
      if (i + 1 === line) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
    });
  }

  private line(number: number, text: string): HTMLElement {
    const cost = this.lines.costs.get(number);
    const code = h("code", {}, text || " ");
    if (!cost) return h("li", { value: number }, code);
    const times = `${decimal(cost.executions)}× ${duration(cost.device)}`;
    const label = `${text} ${times}: line ${number}, select its next execution`;
    const button = h("button", { type: "button", "aria-label": label }, code, h("span", {}, times));
    button.addEventListener("click", () => this.step(cost.roots));
    return h("li", { value: number }, button);
  }

  private step(roots: number[]): void {
    const root = roots[this.next++ % roots.length];
    this.select(this.trace.operatorOf(root) ?? root);
  }
}
