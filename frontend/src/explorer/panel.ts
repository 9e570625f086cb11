import type { Chain, Line, Station } from "../core/chain.ts";
import { isOperator, operatorColour } from "../core/colours.ts";
import { Lane } from "../core/meta.ts";
import { coresDuring, waitWords } from "../core/meanwhile.ts";
import { decimal, duration, exactMicros, exactNs } from "../core/time.ts";
import type { Trace } from "../core/trace.ts";
import { ruleText, shares } from "../core/waiting.ts";
import { button, h } from "./dom.ts";
import { keepFocus } from "./focus.ts";
import { heldList } from "./held.ts";
import { MAX_MARKS } from "./scene.ts";
import { neighbourLists } from "./neighbours.ts";
import { shareBar } from "./shares.ts";

const MOST_GRAPHS = 4;

export interface PanelListener {
  /** Select an event of the chain. */
  select(row: number): void;
  /** The next (1) or previous (-1) event of the same name. */
  step(by: number): void;
  clear(): void;
}

/** The chosen chain: stations from top to bottom, the waits between them in words, and the sum. */
export class Panel {
  readonly element = h("aside", { class: "nbp-panel" });
  private chain: Chain | null = null;
  private ordinal = "";
  private at = 0;

  constructor(
    private readonly trace: Trace,
    private readonly listener: PanelListener,
    title: string,
  ) {
    this.element.setAttribute("aria-label", `Chain of the selected event of ${title}`);
  }

  /** Whether it lies over the lanes, for want of room beside them. */
  get covers(): boolean {
    return this.element.offsetHeight > 0 && getComputedStyle(this.element).position === "sticky";
  }

  /** `ordinal` says which of the events of this name it is. */
  show(chain: Chain | null, ordinal: string): void {
    this.chain = chain;
    this.ordinal = ordinal;
    this.at = chain
      ? Math.max(
          0,
          chain.lines.findIndex((line) => contains(line, chain.event)),
        )
      : 0;
    this.draw();
  }

  /** The line of this chain that is listed. */
  line(chain: Chain): Line | undefined {
    return chain.lines[this.at];
  }

  private draw(): void {
    const { chain } = this;
    this.element.classList.toggle("nbp-of-chain", chain !== null);
    keepFocus(this.element, () =>
      this.element.replaceChildren(...(chain ? this.parts(chain, chain.lines[this.at]) : hints())),
    );
  }

  private parts(chain: Chain, line: Line): (HTMLElement | string)[] {
    this.element.style.setProperty("--nbp-chain", this.colour(line));
    const head = h(
      "div",
      { class: "nbp-panel-head" },
      h("h3", {}, this.trace.name(chain.event), h("small", {}, this.ordinal)),
      button("Previous of this name (,)", "‹", () => this.listener.step(-1)),
      button("Next of this name (.)", "›", () => this.listener.step(1)),
      button("Clear the selection (Escape)", "×", () => this.listener.clear()),
    );
    const stream = line.stream;
    const stations = line.stations.flatMap((station, i) => [
      ...(i ? [this.wait(line, i)] : []),
      this.station(station),
    ]);
    const list = h("ol", { class: "nbp-line" }, ...stations, stream !== null && this.seen(stream));
    return [
      head,
      this.subtitle(line),
      ...this.pager(chain),
      list,
      ...this.sum(line),
      ...this.held(chain, line),
      ...neighbourLists(this.trace, chain.event, (row) => this.listener.select(row)),
      ...this.limits(chain),
    ];
  }

  private subtitle(line: Line): HTMLElement {
    const last = line.stations[line.stations.length - 1].lane;
    const what =
      line.stations.length > 1 && last === Lane.Hardware
        ? "from dispatch to end of execution"
        : line.stations.length > 1
          ? "from the first station to the last"
          : "no link leads on from here";
    const total = line.stations.length > 1 && h("b", {}, duration(line.total), " ");
    return h("p", {}, total, what);
  }

  /** For a chain of several submissions: which one is listed, and the way to the others. */
  private pager(chain: Chain): HTMLElement[] {
    const count = chain.lines.length;
    if (count < 2) return [];
    const turn = (by: number) => {
      this.at = (this.at + by + count) % count;
      this.draw();
    };
    const text = h("span", { "aria-live": "polite" }, `execution ${this.at + 1} of ${decimal(count)}`);
    const pager = h("div", { class: "nbp-pager" }, text);
    pager.append(
      button("Previous execution", "‹", () => turn(-1)),
      button("Next execution", "›", () => turn(1)),
    );
    return [pager];
  }

  private station(station: Station): HTMLElement {
    const row = station.rows[0];
    const ns = station.end - station.start;
    const name = button(`Select ${this.trace.name(row)}`, this.trace.name(row), () =>
      this.listener.select(row),
    );
    const time = h("em", { title: exactNs(ns) }, duration(ns));
    const where = h(
      "small",
      {},
      `${station.lane + 1} ${this.trace.meta.lanes[station.lane]} · ${this.tracks(station)}`,
    );
    return h("li", { class: "nbp-station" }, name, time, where);
  }

  private tracks(station: Station): string {
    const labels = [...new Set(station.rows.map((row) => this.trace.track(row).label))];
    const shown = labels.length > 4 ? [...labels.slice(0, 3), `${labels.length - 3} more`] : labels;
    if (shown.length === 1) return shown[0];
    return `${shown.slice(0, -1).join(", ")} and ${shown[shown.length - 1]}, counted once`;
  }

  private wait(line: Line, to: number): HTMLElement {
    const wait = line.waits[to - 1];
    const { text, busyWith } = waitWords(this.trace, line, to);
    const rule = h("small", {}, ruleText(wait, this.trace.meta.rules));
    const busy = busyWith ? h("small", { class: "nbp-busy-with" }, busyWith) : null;
    const kind = this.trace.meta.rules[wait.rule].guessed ? "nbp-wait nbp-guess" : "nbp-wait";
    return h("li", { class: kind }, h("span", { title: exactNs(wait.ns) }, text), busy, rule);
  }

  private seen(row: number): HTMLElement {
    const ns = this.trace.events.dur[row];
    const name = button(`Select ${this.trace.name(row)}`, this.trace.name(row), () =>
      this.listener.select(row),
    );
    const where = `2 ${this.trace.meta.lanes[Lane.Stream]} · ${this.trace.track(row).label}, seen by the framework, not added`;
    const time = h("em", { title: exactNs(ns) }, duration(ns));
    return h("li", { class: "nbp-station nbp-seen" }, name, time, h("small", {}, where));
  }

  private sum(line: Line): HTMLElement[] {
    if (line.stations.length < 2) return [];
    const parts = line.stations.flatMap((station, i) => [
      ...(i ? [line.waits[i - 1].ns] : []),
      station.end - station.start,
    ]);
    const [total, ...shown] = exactMicros([line.total, ...parts]);
    const terms = shown.map((text, i) =>
      i === 0 ? text : text.startsWith("−") ? ` − ${text.slice(1)}` : ` + ${text}`,
    );
    const last = line.stations.length - 1;
    return [
      shareBar(shares(line, coresDuring(this.trace, line, last)), this.colour(line)),
      h("p", { class: "nbp-sum" }, `of ${total} µs = ${terms.join("")}`),
    ];
  }

  /** What a compiled graph of this line holds; a chain may pass through very many. */
  private held(chain: Chain, line: Line): HTMLElement[] {
    const last = line.stations[line.stations.length - 1].rows[0];
    return this.trace.heldAmong(chain.nodes, last).slice(0, MOST_GRAPHS).map(heldList);
  }

  private colour(line: Line): string {
    const colour = this.trace.events.colour[line.stations[line.stations.length - 1].rows[0]];
    return isOperator(colour) ? operatorColour(colour) : "var(--nbp-muted)";
  }

  private limits(chain: Chain): HTMLElement[] {
    const found: HTMLElement[] = [];
    const cut = `This chain reaches more than ${decimal(chain.nodes.length)} events; the rest is left out.`;
    if (chain.truncated) found.push(h("p", {}, cut));
    const marked = `Outlined are the first ${MAX_MARKS} of ${decimal(chain.nodes.length)} events of the chain.`;
    if (chain.nodes.length > MAX_MARKS) found.push(h("p", {}, marked));
    return found;
  }
}

function contains(line: Line, row: number): boolean {
  return line.stream === row || line.stations.some((station) => station.rows.includes(row));
}

function hints(): HTMLElement[] {
  return [
    h("h3", {}, "Follow an operator"),
    h(
      "p",
      {},
      "Click an event: its whole chain lights up across the lanes, from the dispatch on the host to the execution " +
        "on the hardware, and is listed here with the time at and between its stations.",
    ),
    h(
      "p",
      {},
      "Or choose an operator in the table below. Drag to move in time, hold Ctrl and turn the wheel to zoom.",
    ),
  ];
}
