import * as answers from "../core/answers.ts";
import { decimal, duration, exactMicros } from "../core/time.ts";
import type { Trace } from "../core/trace.ts";
import type { Span } from "../core/viewport.ts";
import { empty, waiting } from "./absent.ts";
import { h } from "./dom.ts";
import { pressable, row, table } from "./table.ts";

/** Why each core stood still: totals by cause, and the longest gaps with the way to what ended them. */
export class Gaps {
  readonly element = waiting();

  constructor(
    private readonly trace: Trace,
    /** Shows a span of time, and the event with this id. */
    private readonly visit: (span: Span, id: number | null) => void,
  ) {}

  tell(answer: answers.Answer<answers.Gaps>): void {
    this.element.replaceChildren(this.content(answer));
  }

  private content(answer: answers.Answer<answers.Gaps>): HTMLElement {
    if (answers.isAbsent(answer)) return empty(answer.absent);
    if (!answer.cores.length) return empty("No core of this capture executed anything.");
    return h("div", { class: "nbp-answer" }, ...this.parts(answer));
  }

  private parts({ cores, causes, count, gaps }: answers.Gaps): (HTMLElement | null)[] {
    const names = Object.keys(causes);
    const heads = ["core", "busy", "+ idle", "= window", "idle share", ...names, "longest"];
    const totals = table(
      "Each core in µs: busy and idle make the window, the causes make idle",
      heads,
      cores.map((core) => totalsOf(core, names)),
    );
    const meanings = names.flatMap((name) => [h("dt", {}, name), h("dd", {}, causes[name])]);
    const longest = gaps.map((gap) => this.gap(gap));
    const rest = count - gaps.length;
    const more = rest > 0 && `and ${decimal(rest)} shorter ones: profile.gaps() has all of them.`;
    return [
      totals,
      h("dl", { class: "nbp-meanings" }, ...meanings),
      gaps.length
        ? table(
            "The longest gaps; a row shows its span and what ended it",
            ["length", "cause", "core", "at", "ended by"],
            longest,
          )
        : empty("No core stood still in this window."),
      more ? empty(more) : null,
    ];
  }

  private gap({ core, cause, start_ns, dur_ns, event, name, execution }: answers.Gap): HTMLElement {
    const ended = name ?? (execution === null ? "end of the window" : "an execution without an operator");
    const at = duration(start_ns - this.trace.events.first);
    const visit = () => this.visit([start_ns, start_ns + dur_ns], event ?? execution);
    return pressable(visit, duration(dur_ns), cause, core, at, h("bdi", {}, ended));
  }
}

function totalsOf(core: answers.CoreTotals, causes: string[]): HTMLElement {
  const times = [core.busy_us, core.idle_us, core.window_us, ...causes.map((cause) => Number(core[cause]))];
  const [busy, idle, window, ...rest] = exactMicros(times.map((us) => Math.round(us * 1000)));
  const share = core.idle_share === null ? "–" : `${decimal(100 * core.idle_share, 1)} %`;
  return row(core.core, busy, idle, window, share, ...rest, decimal(core.longest_us, 1));
}
