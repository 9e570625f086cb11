import { isAbsent, severity, type Answer, type Insight, type Insights as Answered } from "../core/answers.ts";
import { decimal, duration } from "../core/time.ts";
import { empty, waiting } from "./absent.ts";
import { h } from "./dom.ts";

/** What stands out, the gravest first, with a way to the events that show it. */
export class Insights {
  readonly element = waiting();
  title = "Insights";
  /** The gravest of them once more, to stand beside a table; hidden where there is none. */
  readonly gravest = h("aside", {
    class: "nbp-gravest",
    "aria-label": "The gravest insight",
    hidden: true,
  });

  constructor(private readonly select: (id: number) => void) {}

  tell(answer: Answer<Answered>): void {
    this.element.replaceChildren(...this.content(answer));
  }

  private content(answer: Answer<Answered>): HTMLElement[] {
    if (isAbsent(answer)) return [empty(answer.absent)];
    const { count, found } = answer;
    if (!found.length) return [empty("No rule found anything that stands out.")];
    this.title = `Insights (${decimal(count)})`;
    this.gravest.replaceChildren(...this.parts(found[0]).filter((part) => part !== null));
    this.gravest.hidden = false;
    const items = found.map((insight) => h("li", {}, ...this.parts(insight)));
    const rest = count - found.length;
    const more = rest > 0 ? [empty(`and ${decimal(rest)} more: profile.insights() has all of them.`)] : [];
    return [h("div", { class: "nbp-insights" }, h("ol", {}, ...items), ...more)];
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
