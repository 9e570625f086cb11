import * as answers from "../core/answers.ts";
import { decimal, duration } from "../core/time.ts";
import type { Trace } from "../core/trace.ts";
import type { Span } from "../core/viewport.ts";
import { empty, waiting } from "./absent.ts";
import { h } from "./dom.ts";
import { pressable, row, table } from "./table.ts";

export interface CriticalPathListener {
  /** Show a span of time, and the event with this id. */
  visit(span: Span, id: number | null): void;
  /** Light these rows, or none. */
  light(rows: number[]): void;
}

/** What decided how long the steps took: by lane, piece by piece, and lit in the timeline at a press. */
export class CriticalPath {
  readonly element = waiting();
  private readonly toggle = h("button", { type: "button", "aria-pressed": "false" });
  private rows: number[] = [];
  private isLit = false;

  constructor(
    private readonly trace: Trace,
    private readonly listener: CriticalPathListener,
  ) {}

  tell(answer: answers.Answer<answers.CriticalPath>): void {
    this.element.replaceChildren(this.content(answer));
  }

  private content(answer: answers.Answer<answers.CriticalPath>): HTMLElement {
    if (answers.isAbsent(answer)) return empty(answer.absent);
    if (!answer.count) return empty("This capture holds nothing that a path could lead through.");
    return h("div", { class: "nbp-answer" }, ...this.parts(answer));
  }

  /** Rows of the path while it is lit. */
  get lit(): number[] {
    return this.isLit ? this.rows : [];
  }

  /** Say whether the rows that are lit now are those of the path. */
  mark(lit: number[]): void {
    this.isLit = lit.length > 0 && lit === this.rows;
    this.toggle.setAttribute("aria-pressed", String(this.isLit));
  }

  private parts(path: answers.CriticalPath): (HTMLElement | null)[] {
    const { events, event_count, count, segments, lanes } = path;
    const all = events.length === event_count;
    const which = all
      ? `its ${decimal(event_count)}`
      : `the ${decimal(events.length)} longest of its ${decimal(event_count)}`;
    this.toggle.textContent = `Light ${which} events in the timeline`;
    this.toggle.addEventListener("click", () => {
      if (!this.rows.length) this.rows = answers.rowsOf(this.trace.events, events);
      this.listener.light(this.isLit ? [] : this.rows);
    });
    const rest = count - segments.length;
    const more = rest > 0 && `and ${decimal(rest)} shorter ones: profile.critical_path() has all of them.`;
    return [
      h("p", {}, answers.ifFree(path)),
      events.length ? this.toggle : null,
      table(
        "What holds the path",
        ["lane", "time", "share", "whole if it were free, at best"],
        lanes.map(({ lane, dur_us, share, step_without_us }) =>
          row(lane, micros(dur_us), percent(share), micros(step_without_us)),
        ),
      ),
      table(
        "The longest segments; a row shows its span and its event",
        ["length", "share of its step", "lane", "name", "step", "at"],
        segments.map((segment) => this.segment(segment)),
      ),
      more ? empty(more) : null,
    ];
  }

  private segment({ step, lane, name, event, start_ns, dur_ns, share }: answers.Segment): HTMLElement {
    const at = duration(start_ns - this.trace.events.first);
    const visit = () => this.listener.visit([start_ns, start_ns + dur_ns], event);
    return pressable(
      visit,
      duration(dur_ns),
      percent(share),
      lane,
      h("bdi", {}, name),
      h("bdi", {}, step),
      at,
    );
  }
}

function micros(us: number): string {
  return duration(us * 1000);
}

function percent(share: number): string {
  return `${decimal(100 * share, 1)} %`;
}
