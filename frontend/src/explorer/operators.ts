import { isOperator, operatorColour } from "../core/colours.ts";
import type { OperatorRow } from "../core/meta.ts";
import { decimal } from "../core/time.ts";
import type { Trace } from "../core/trace.ts";
import { empty } from "./absent.ts";
import { h } from "./dom.ts";

type Key = "name" | "calls" | "cpu_us" | "neuron_us" | "share";
const KEYS: Key[] = ["name", "calls", "cpu_us", "neuron_us", "share"];
/** Marks host times that are measured where the others are modelled. */
const MEASURED = "†";
const MEANING = "its own time was measured on this machine and not modelled: it did not run on the device";

/** The table of operators, sorted and filtered; a row lights all calls of its operator and selects one after another. */
export class Operators {
  readonly element: HTMLElement;
  private readonly rows = new Map<string, HTMLTableRowElement>();
  private readonly body = h("tbody");
  private readonly heads: HTMLElement[] = [];
  private readonly filter = h("input", {
    type: "search",
    placeholder: "filter operators",
    "aria-label": "Filter operators",
    spellcheck: "false",
  });
  private sorted: { key: Key; down: boolean } = { key: "neuron_us", down: true };

  constructor(
    private readonly trace: Trace,
    private readonly choose: (name: string) => void,
  ) {
    const { operators, tracks, simulated, reconciled } = trace.meta;
    if (!operators.length) {
      this.element = h("p", { class: "nbp-empty" }, "This capture holds no operators.");
      return;
    }
    const device = tracks.some(({ label }) => label.startsWith("neuron_")) ? "Neuron µs" : "Device µs";
    const kind = simulated ? " (modelled)" : "";
    const titles = ["operator", "calls", `CPU µs${kind}`, `${device}${kind}`, "of device time"];
    titles.forEach((text, i) => this.heads.push(this.head(text, KEYS[i])));
    const most = operators.reduce((share, operator) => Math.max(share, operator.share), 0);
    for (const operator of operators) this.rows.set(operator.name, this.row(operator, most));
    const caption = h(
      "caption",
      { class: "nbp-spoken" },
      "Operators; a name lights all its calls and selects the next one. Column heads sort.",
    );
    const table = h(
      "table",
      { class: "nbp-operators" },
      caption,
      h("thead", {}, h("tr", {}, ...this.heads)),
      this.body,
    );
    this.filter.addEventListener("input", () => this.fill());
    this.fill();
    const note = operators.some(({ measured }) => measured) ? empty(`${MEASURED} ${MEANING}.`) : null;
    const filter = operators.length > 8 ? h("div", { class: "nbp-filter" }, this.filter) : null;
    this.element = h(
      "div",
      { class: "nbp-operator-table" },
      filter,
      table,
      note,
      reconciled ? empty(reconciled) : null,
    );
  }

  /** Mark the operator that is selected. */
  mark(name: string | null): void {
    for (const [operator, row] of this.rows) {
      const chosen = operator === name;
      row.classList.toggle("nbp-chosen", chosen);
      row.querySelector("button")!.setAttribute("aria-pressed", String(chosen));
    }
  }

  private head(text: string, key: Key): HTMLElement {
    const sort = h("button", { type: "button" }, text);
    const head = h("th", { scope: "col" }, sort);
    sort.addEventListener("click", () => {
      const down = this.sorted.key === key ? !this.sorted.down : key !== "name";
      this.sorted = { key, down };
      this.fill();
    });
    return head;
  }

  private fill(): void {
    const { key, down } = this.sorted;
    const wanted = this.filter.value.toLowerCase();
    const order = (a: OperatorRow, b: OperatorRow) =>
      key === "name" ? a.name.localeCompare(b.name) : Number(a[key]) - Number(b[key]);
    const shown = this.trace.meta.operators.filter(({ name }) => name.toLowerCase().includes(wanted));
    shown.sort((a, b) => (down ? order(b, a) : order(a, b)));
    this.body.replaceChildren(...shown.map(({ name }) => this.rows.get(name)!));
    this.heads.forEach((head, i) => {
      if (KEYS[i] === key) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  }

  private row(operator: OperatorRow, most: number): HTMLTableRowElement {
    const colour = isOperator(operator.colour) ? operatorColour(operator.colour) : "var(--nbp-border)";
    const swatch = h("span", { class: "nbp-swatch" });
    swatch.style.background = colour;
    const name = h(
      "button",
      { type: "button", "aria-pressed": "false" },
      swatch,
      h("bdi", {}, operator.name),
    );
    const bar = h("span", { class: "nbp-bar" });
    bar.style.width = `${most ? (100 * operator.share) / most : 0}%`;
    bar.style.background = colour;
    const share = operator.neuron_us ? `${decimal(100 * operator.share, 1)} %` : "–";
    const mark = h("abbr", { title: MEANING }, ` ${MEASURED}`);
    const row = h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      h("td", {}, decimal(operator.calls)),
      h("td", {}, decimal(operator.cpu_us, 1), operator.measured && mark),
      h("td", {}, decimal(operator.neuron_us, 1)),
      h("td", { class: "nbp-share" }, h("span", { class: "nbp-bar-room" }, bar), h("span", {}, share)),
    );
    row.addEventListener("click", () => this.choose(operator.name));
    return row;
  }
}
