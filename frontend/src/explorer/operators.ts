import { isOperator, operatorColour } from "../core/colours.ts";
import type { OperatorRow } from "../core/meta.ts";
import { decimal } from "../core/time.ts";
import type { Trace } from "../core/trace.ts";
import { h } from "./dom.ts";

/** The table of operators; a row selects the first event of its operator, pressed again the next. */
export class Operators {
  readonly element: HTMLElement;
  private readonly rows = new Map<string, HTMLTableRowElement>();

  constructor(
    trace: Trace,
    private readonly choose: (name: string) => void,
  ) {
    const { operators, tracks, simulated } = trace.meta;
    if (!operators.length) {
      this.element = h("p", { class: "nbp-empty" }, "This capture holds no operators.");
      return;
    }
    const device = tracks.some(({ label }) => label.startsWith("neuron_")) ? "Neuron µs" : "Device µs";
    const kind = simulated ? " (modelled)" : "";
    const heads = ["operator", "calls", `CPU µs${kind}`, `${device}${kind}`, "of device time"];
    const head = h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text)));
    const most = operators.reduce((share, operator) => Math.max(share, operator.share), 0);
    const body = operators.map((operator) => this.row(operator, most));
    const caption = h(
      "caption",
      { class: "nbp-spoken" },
      "Operators by device time; a name selects its next call.",
    );
    const table = h(
      "table",
      { class: "nbp-operators" },
      caption,
      h("thead", {}, head),
      h("tbody", {}, ...body),
    );
    const measured = "CPU time of rows that did not run on the device is this machine's, not modelled.";
    this.element = simulated ? h("div", {}, table, h("p", { class: "nbp-empty" }, measured)) : table;
  }

  /** Mark the operator that is selected. */
  mark(name: string | null): void {
    for (const [operator, row] of this.rows) {
      const chosen = operator === name;
      row.classList.toggle("nbp-chosen", chosen);
      row.querySelector("button")!.setAttribute("aria-pressed", String(chosen));
    }
  }

  private row(operator: OperatorRow, most: number): HTMLTableRowElement {
    const colour = isOperator(operator.colour) ? operatorColour(operator.colour) : "var(--nbp-border)";
    const swatch = h("span", { class: "nbp-swatch" });
    swatch.style.background = colour;
    const name = h("button", { type: "button", "aria-pressed": "false" }, swatch, operator.name);
    const bar = h("span", { class: "nbp-bar" });
    bar.style.width = `${most ? (100 * operator.share) / most : 0}%`;
    bar.style.background = colour;
    const share = operator.neuron_us ? `${decimal(100 * operator.share, 1)} %` : "–";
    const row = h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      h("td", {}, decimal(operator.calls)),
      h("td", {}, decimal(operator.cpu_us, 1)),
      h("td", {}, decimal(operator.neuron_us, 1)),
      h("td", { class: "nbp-share" }, h("span", { class: "nbp-bar-room" }, bar), h("span", {}, share)),
    );
    row.addEventListener("click", () => this.choose(operator.name));
    this.rows.set(operator.name, row);
    return row;
  }
}
