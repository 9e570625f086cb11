import { isAbsent, severity, type Insight } from "../core/answers.ts";
import { decimal, duration } from "../core/time.ts";
import type { Trace } from "../core/trace.ts";
import { h } from "./dom.ts";

/** What stands out, the gravest first, with a way to the events that show it. */
export class Insights {
  readonly element: HTMLElement;
  readonly title: string;
  /** The gravest of them once more, to stand beside a table; null where there is none. */
  readonly gravest: HTMLElement | null = null;

  constructor(
    trace: Trace,
    private readonly select: (id: number) => void,
  ) {
    const answer = trace.meta.answers.insights;
    this.title = "Insights";
    if (isAbsent(answer)) {
      this.element = h("p", { class: "nbp-empty" }, answer.absent);
      return;
    }
    const { count, found } = answer;
    if (!found.length) {
      this.element = h("p", { class: "nbp-empty" }, "No rule found anything that stands out.");
      return;
    }
    this.title = `Insights (${decimal(count)})`;
    const items = found.map((insight) => h("li", {}, ...this.parts(insight)));
    const rest = count - found.length;
    const more = rest > 0 && `and ${decimal(rest)} more: profile.insights() has all of them.`;
    const list = h("ol", {}, ...items);
    this.element = h("div", { class: "nbp-insights" }, list, more && h("p", { class: "nbp-empty" }, more));
    this.gravest = h(
      "aside",
      { class: "nbp-gravest", "aria-label": "The gravest insight" },
      ...this.parts(found[0]),
    );
  }

  private parts(insight: Insight): (HTMLElement | null)[] {
    const { word, shape, kind } = severity(insight.severity);
    const mark = h(
      "span",
      { class: `nbp-severity nbp-${kind}` },
      h("i", { "aria-hidden": "true" }, shape),
      word,
    );
    const saving =
      insight.saving_us === null
        ? null
        : h("span", { class: "nbp-saving" }, `saves at most ${duration(insight.saving_us * 1000)}`);
    return [
      h("div", { class: "nbp-insight-head" }, mark, saving, this.show(insight.evidence)),
      h("p", {}, insight.sentence),
      h("p", { class: "nbp-remedy" }, h("b", {}, "What to do: "), insight.remedy),
    ];
  }

  /** Selects the first event that shows it, and at each further press the next. */
  private show(evidence: number[]): HTMLElement | null {
    if (!evidence.length) return null;
    const count = decimal(evidence.length);
    const several = evidence.length > 1;
    const button = h("button", { type: "button" }, several ? `Show ${count} events` : "Show the event");
    let next = 0;
    button.addEventListener("click", () => {
      this.select(evidence[next]);
      if (several) button.textContent = `Event ${decimal(next + 1)} of ${count}, show next`;
      next = (next + 1) % evidence.length;
    });
    return button;
  }
}
