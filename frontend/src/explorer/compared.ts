import { isAbsent, type Answer, type Compared } from "../core/answers.ts";
import { decimal } from "../core/time.ts";
import { h } from "./dom.ts";
import { row, table } from "./table.ts";
import { currentTheme, watchTheme } from "./theme.ts";

/** Columns of the table in its order: what they are called, and how many decimals they have. */
const COLUMNS: [key: string, title: string, decimals: number][] = [
  ["device_us", "device µs", 0],
  ["device_ratio", "ratio", 2],
  ["host_us", "host µs", 0],
  ["operator_calls", "operator calls", 0],
  ["executions", "executions", 0],
  ["idle_us", "idle µs", 0],
  ["submissions", "submissions", 0],
  ["switches", "program switches", 0],
  ["copies", "copies", 0],
  ["intermediates", "intermediate tensors", 0],
  ["intermediate_bytes", "their bytes", 0],
];

/** Profiles side by side in numbers, and what these say in words. */
export class ComparedTable {
  readonly element: HTMLElement;
  private readonly unwatch: () => void;

  constructor(answer: Answer<Compared>) {
    const content = isAbsent(answer) ? [h("p", { class: "nbp-empty" }, answer.absent)] : parts(answer);
    this.element = h("div", { class: "nbp nbp-compared" }, h("div", { class: "nbp-answer" }, ...content));
    this.unwatch = watchTheme(() => this.setTheme());
    this.setTheme();
  }

  remove(): void {
    this.unwatch();
  }

  private setTheme(): void {
    this.element.classList.toggle("nbp-dark", currentTheme().dark);
  }
}

function parts({ baseline, rows, words }: Compared): HTMLElement[] {
  const caption = h("span", {}, "Means per recorded step; the ratio is to ", h("bdi", {}, baseline));
  const heads = ["profile", ...COLUMNS.map(([, title]) => title), "basis"];
  const lines = rows.map((version) => {
    const cells = COLUMNS.map(([key, , decimals]) => number(version[key], decimals));
    return row(h("bdi", {}, String(version["version"])), ...cells, String(version["basis"]));
  });
  return [table(caption, heads, lines), h("ul", {}, ...words.map((sentence) => h("li", {}, sentence)))];
}

/** A whole number without decimals; another one with one at least, so that 0.4 is not shown as 0. */
function number(value: string | number | null, decimals: number): string {
  if (typeof value !== "number") return "–";
  return decimal(value, decimals || (Number.isInteger(value) ? 0 : 1));
}
