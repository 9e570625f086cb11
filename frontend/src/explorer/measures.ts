import { measure, measuredText, MOST_EVENTS, type Busy, type Measured } from "../core/measure.ts";
import { decimal, duration, exactNs } from "../core/time.ts";
import type { Trace } from "../core/trace.ts";
import type { Span } from "../core/viewport.ts";
import { button, h } from "./dom.ts";
import { keepFocus } from "./focus.ts";

/** Measured spans: each stays pinned over the lanes until it is taken off. */
export class Measures {
  readonly element = h("div", { class: "nbp-measures" });
  private readonly spans: Span[] = [];

  constructor(
    private readonly trace: Trace,
    private readonly listener: { pinned(spans: readonly Span[]): void; show(span: Span): void },
  ) {
    this.draw();
  }

  add(span: Span): void {
    this.spans.push(span);
    this.draw();
  }

  private draw(): void {
    this.listener.pinned(this.spans);
    const hint =
      "Press M or Measure, then drag over the lanes, click both ends of a span, or press Enter for the selected " +
      "event: you get its length, busy time, counts and names.";
    const parts = this.spans.map((span, i) => this.report(measure(this.trace, span), i));
    this.element.replaceChildren(...(parts.length ? parts : [h("p", { class: "nbp-empty" }, hint)]));
  }

  private report(measured: Measured, index: number): HTMLElement {
    const [from, to] = measured.span;
    const origin = this.trace.events.first;
    const share = (ns: number) => `${decimal((100 * ns) / (to - from), 1)} %`;
    const busyRow = ({ label, busy, events }: Busy) => [label, duration(busy), share(busy), decimal(events)];
    const copy = button("Copy this measurement as text", "Copy", () => void this.copy(measured, copy));
    const head = h(
      "div",
      { class: "nbp-measure-head" },
      h("h3", { title: exactNs(to - from) }, `${index + 1}: ${duration(to - from)}`),
      h(
        "span",
        {},
        `from ${duration(from - origin)} to ${duration(to - origin)}, ${decimal(measured.events)} events`,
      ),
      button("Zoom to this span", "Show", () => this.listener.show(measured.span)),
      copy,
      button("Remove this measurement", "Remove", () => {
        this.spans.splice(index, 1);
        keepFocus(this.element, () => this.draw());
      }),
    );
    const names = measured.names.map(({ name, events, time }) => [name, duration(time), "", decimal(events)]);
    const busyHeads = ["busy", "of the span", "events"];
    const limit = measured.truncated
      ? h("p", {}, `Only the first ${decimal(MOST_EVENTS)} events are counted.`)
      : null;
    return h(
      "section",
      { "aria-label": `Measurement ${index + 1}` },
      head,
      limit,
      h(
        "div",
        { class: "nbp-measure-tables" },
        table(["lane", ...busyHeads], measured.lanes.map(busyRow)),
        table(["track", ...busyHeads], measured.tracks.map(busyRow)),
        table(["name", "time, summed", "", "events"], names),
      ),
    );
  }

  private async copy(measured: Measured, pressed: HTMLButtonElement): Promise<void> {
    const text = measuredText(measured, this.trace.events.first);
    try {
      await navigator.clipboard.writeText(text);
      pressed.textContent = "Copied";
    } catch {
      // Without the right to the clipboard the text is shown, selected, to be copied by hand.
      const area = h("textarea", { rows: 8, readonly: true, "aria-label": "Measurement as text" });
      area.value = text;
      pressed.closest("section")!.append(area);
      area.select();
    }
  }
}

function table(heads: string[], rows: string[][]): HTMLElement {
  const head = h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text)));
  const body = rows.map(([first, ...rest]) =>
    h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((text) => h("td", {}, text))),
  );
  return h("table", { class: "nbp-table" }, h("thead", {}, head), h("tbody", {}, ...body));
}
