import { complaint, EVERYTHING, isEmpty, parseDuration, search, type Query } from "../core/search.ts";
import { decimal, duration } from "../core/time.ts";
import type { Trace } from "../core/trace.ts";
import { button, h } from "./dom.ts";

const LISTED = 200;
const TYPING_MS = 150;

export interface FinderListener {
  found(rows: Uint32Array): void;
  select(row: number): void;
}

/** Search by name, lane and duration: count, list, and a step from one found event to the next. */
export class Finder {
  readonly element: HTMLElement;
  private readonly text = h("input", {
    type: "search",
    placeholder: "name, or a part of it",
    "aria-label": "Name to search for",
    spellcheck: "false",
  });
  private readonly regex = h("input", { type: "checkbox" });
  private readonly lane: HTMLSelectElement;
  private readonly shortest = h("input", {
    placeholder: "from, e.g. 20 µs",
    "aria-label": "Shortest duration",
    size: 13,
  });
  private readonly longest = h("input", { placeholder: "to", "aria-label": "Longest duration", size: 13 });
  private readonly count = h("span", { class: "nbp-count", role: "status" });
  private readonly list = h("ol", { class: "nbp-found" });
  private hits: Uint32Array = new Uint32Array(0);
  private at = -1;
  private typing: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly trace: Trace,
    private readonly listener: FinderListener,
  ) {
    const lanes = trace.meta.lanes.map((title, lane) => h("option", { value: lane }, `${lane + 1} ${title}`));
    this.lane = h("select", { "aria-label": "Lane" }, h("option", { value: "" }, "all lanes"), ...lanes);
    const form = h(
      "form",
      { class: "nbp-finder", role: "search" },
      this.text,
      h("label", {}, this.regex, " regular expression"),
      this.lane,
      this.shortest,
      this.longest,
      button("Previous found event (Shift + G)", "‹", () => this.step(-1)),
      button("Next found event (G)", "›", () => this.step(1)),
      this.count,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.run();
      this.step(1);
    });
    form.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.run(), TYPING_MS);
    });
    // A field that sends no "submit" in a sandboxed frame steps all the same.
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      clearTimeout(this.typing);
      this.run();
      this.step(event.shiftKey ? -1 : 1);
    });
    this.element = h("div", {}, form, this.list);
  }

  /** How many events the last search found. */
  get size(): number {
    return this.hits.length;
  }

  focus(): void {
    this.text.focus();
    this.text.select();
  }

  /** Select the next (1) or previous (-1) found event. */
  step(by: number): void {
    const { length } = this.hits;
    if (!length) return;
    this.at = this.at < 0 ? (by > 0 ? 0 : length - 1) : (this.at + by + length) % length;
    this.show();
    this.listener.select(this.hits[this.at]);
  }

  private query(): Query {
    const bound = (field: HTMLInputElement) => {
      const ns = field.value.trim() ? parseDuration(field.value) : null;
      field.setAttribute("aria-invalid", String(!!field.value.trim() && ns === null));
      return ns;
    };
    return {
      ...EVERYTHING,
      text: this.text.value,
      regex: this.regex.checked,
      lane: this.lane.value ? Number(this.lane.value) : null,
      shortest: bound(this.shortest),
      longest: bound(this.longest),
    };
  }

  private notDurations(): string | null {
    const wrong = [this.shortest, this.longest].filter((field) => field.ariaInvalid === "true");
    const texts = wrong.map(({ value }) => `"${value}"`).join(" and ");
    return wrong.length ? `${texts}: write a duration as 20 µs or 1.5 ms` : null;
  }

  private run(): void {
    const query = this.query();
    const wrong = complaint(query) ?? this.notDurations();
    const before = this.hits;
    this.hits = wrong || isEmpty(query) ? new Uint32Array(0) : search(this.trace, query);
    const same = before.length === this.hits.length && before.every((row, i) => row === this.hits[i]);
    if (!same) this.at = -1;
    this.show(wrong);
    if (!same) this.fill();
    if (!same) this.listener.found(this.hits);
  }

  private show(wrong: string | null = null): void {
    const { length } = this.hits;
    const at = this.at < 0 ? "" : `${decimal(this.at + 1)} of `;
    this.count.textContent = wrong ?? (isEmpty(this.query()) ? "" : `${at}${decimal(length)} found`);
    [...this.list.children].forEach((item, i) => item.classList.toggle("nbp-chosen", i === this.at));
  }

  private fill(): void {
    const items = [...this.hits.subarray(0, LISTED)].map((row, i) => this.item(row, i));
    const rest = this.hits.length - items.length;
    if (rest > 0)
      items.push(h("li", { class: "nbp-empty" }, `and ${decimal(rest)} more; G steps through all`));
    this.list.replaceChildren(...items);
  }

  private item(row: number, index: number): HTMLElement {
    const { events } = this.trace;
    const track = this.trace.track(row);
    const name = h("button", { type: "button" }, this.trace.name(row));
    name.addEventListener("click", () => {
      this.at = index;
      this.show();
      this.listener.select(row);
    });
    const where = `${track.lane + 1} ${this.trace.meta.lanes[track.lane]} · ${track.label}`;
    const when = `${duration(events.dur[row])} at ${duration(events.start[row] - events.first)}`;
    return h("li", {}, name, h("span", {}, when), h("small", {}, where));
  }
}
