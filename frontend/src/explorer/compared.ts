import { isAbsent, type Answer, type Compared, type Differences, type Version } from "../core/answers.ts";
import { decimal } from "../core/time.ts";
import { empty } from "./absent.ts";
import { h } from "./dom.ts";
import { row, table } from "./table.ts";
import { currentTheme, watchTheme } from "./theme.ts";

/** Columns of a table in its order: what they are called, and how many decimals they have. */
type Columns = [key: string, title: string, decimals: number][];
const VERSIONS: Columns = [
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
/** Busy time of the fastest and the slowest step, where there are several. */
const SPREAD: Columns = [
  ["device_min_us", "shortest step", 0],
  ["device_max_us", "longest step", 0],
];
const SAVINGS: Columns = [
  ["saved_us", "saved µs", 0],
  ["gaps_us", "= idle gaps", 0],
  ["executions_us", "+ executions", 0],
  ["data_us", "+ data", 0],
  ["executions_removed", "executions removed", 0],
  ["execution_cost_us", "µs each", 1],
];
const OPERATORS: Columns = [
  ["difference_us", "difference µs", 1],
  ["neuron_us_baseline", "baseline µs", 1],
  ["neuron_us_other", "this version µs", 1],
  ["calls_baseline", "baseline calls", 0],
  ["calls_other", "this version's calls", 0],
  ["executions_baseline", "baseline executions", 0],
  ["executions_other", "this version's executions", 0],
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

function parts({ baseline, rows, words, savings, operators }: Compared): HTMLElement[] {
  const caption = h("span", {}, "Means per recorded step; the ratio is to ", h("bdi", {}, baseline));
  const [device, ...others] = VERSIONS;
  const spread = rows.some(({ steps }) => Number(steps) > 1) ? SPREAD : [];
  const columns = [device, ...spread, ...others];
  const heads = ["profile", "basis", ...titles(columns)];
  const lines = rows.map((version) =>
    row(name(version), String(version["basis"]), ...cells(version, columns)),
  );
  return [
    table(caption, heads, lines),
    h("ul", {}, ...words.map((sentence) => h("li", {}, sentence))),
    ...(savings.length ? [saved(baseline, savings)] : []),
    ...operators.map((differences) => byOperator(baseline, differences)),
  ];
}

/** What each version saves, from its first execution to its last, as a sum that can be checked. */
function saved(baseline: string, savings: Version[]): HTMLElement {
  const lines = savings.map((version) =>
    row(
      name(version),
      ...cells(version, SAVINGS),
      h("div", { class: "nbp-words" }, String(version["cost_basis"])),
    ),
  );
  const caption = h(
    "span",
    {},
    "From the first execution to the last, saved of ",
    h("bdi", {}, baseline),
    "; negative: added",
  );
  const heads = ["profile", ...titles(SAVINGS), "cost of an execution"];
  return table(caption, heads, lines);
}

/** Operators of the baseline and of a version, matched by name and shape. */
function byOperator(baseline: string, { version, count, rows }: Differences): HTMLElement {
  const lines = rows.map((operator) =>
    row(
      h("bdi", {}, String(operator["name"])),
      h("bdi", {}, String(operator["shapes"])),
      String(operator["change"]),
      ...cells(operator, OPERATORS),
    ),
  );
  const caption = h(
    "span",
    {},
    "Device time per recorded step, matched by name and shape, baseline ",
    h("bdi", {}, baseline),
  );
  const heads = ["operator", "shapes", "in", ...titles(OPERATORS)];
  const rest = count - rows.length;
  const title = h("span", {}, "Operators of ", h("bdi", {}, version));
  return more(
    title,
    table(caption, heads, lines),
    rest > 0 &&
      empty(`and ${decimal(rest)} with a smaller difference: compare(...).operators() has all of them.`),
  );
}

/** What is folded away until somebody wants it. */
function more(title: string | HTMLElement, ...content: (HTMLElement | false)[]): HTMLElement {
  return h("details", { class: "nbp-more" }, h("summary", {}, title), ...content);
}

function titles(columns: Columns): string[] {
  return columns.map(([, title]) => title);
}

function name(version: Version): HTMLElement {
  return h("bdi", {}, String(version["version"]));
}

function cells(values: Version, columns: Columns): string[] {
  return columns.map(([key, , decimals]) => number(values[key], decimals));
}

/** A whole number without decimals; another one with one at least, so that 0.4 is not shown as 0. */
function number(value: string | number | null, decimals: number): string {
  if (typeof value !== "number") return "–";
  return decimal(value, decimals || (Number.isInteger(value) ? 0 : 1));
}
