import { rgb, type Theme } from "../core/colours.ts";
import { amount, exactAmount, type Counter } from "../core/counters.ts";
import type { Layout, TrackBox } from "../core/layout.ts";
import { duration } from "../core/time.ts";
import type { Viewport } from "../core/viewport.ts";
import { h } from "./dom.ts";
import type { Window } from "./scene.ts";

/** Pixels that a track leaves free below its curve, and above it for words where it is high enough. */
const PADDING = 4;
const WORDS = 18;
const LOWEST_WITH_WORDS = 36;
/** Samples that Page Up and Page Down go over. */
const PAGE = 10;
const FONT = "11px system-ui, 'DejaVu Sans', sans-serif";
const COLOUR = { light: "#0b63c5", dark: "#6cb2ff" };

/** Counters below the lanes: areas over the time of the timeline, with the value at the cursor. */
export class Counters {
  readonly canvas = h("canvas", { class: "nbp-counters", "aria-hidden": "true" });
  /** Time under the pointer or at the sample that keys went to, or null. */
  private cursor: number | null = null;
  private readonly labels: Label[];

  /** `first` is the track of the first counter; the others follow it. */
  constructor(
    private readonly counters: Counter[],
    private readonly first: number,
    private readonly layout: Layout,
    private readonly viewport: Viewport,
    private readonly origin: () => number,
    private readonly moved: () => void,
  ) {
    this.labels = counters.map((counter) => this.label(counter));
  }

  /** What stands beside a track: a slider over its samples. */
  labelOf(track: number): HTMLElement | undefined {
    return this.labels[track - this.first]?.element;
  }

  /** Show the values at a time; null shows the greatest ones. */
  point(time: number | null): void {
    if (time === this.cursor) return;
    this.cursor = time;
    this.moved();
  }

  /** Lines about the counter that is drawn at this height of the timeline, or null. */
  about(y: number, time: number): string[] | null {
    const box = this.boxes().find((one) => y >= one.top && y < one.top + one.height);
    if (!box) return null;
    const counter = this.counterOf(box);
    const { label, unit, source } = counter.info;
    const sample = counter.at(time);
    if (sample < 0) return [label, "no sample here", source];
    const value = counter.value[sample];
    const what = `${amount(value, unit)} ${this.when(counter, sample)}`;
    return [label, what, exactAmount(value, unit), source].filter((line) => line);
  }

  draw(window: Window, theme: Theme): void {
    const { canvas } = this;
    const ratio = devicePixelRatio;
    const [width, height] = [window.width, window.bottom - window.top].map((px) => Math.round(px * ratio));
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const context = canvas.getContext("2d")!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    context.scale(ratio, ratio);
    for (const box of this.boxes()) {
      if (box.top + box.height < window.top || box.top > window.bottom) continue;
      this.drawTrack(context, box, window, theme);
    }
    this.tell();
  }

  private boxes(): TrackBox[] {
    return this.layout.groups.flatMap(({ boxes }) => boxes).filter(({ track }) => track >= this.first);
  }

  private counterOf({ track }: TrackBox): Counter {
    return this.counters[track - this.first];
  }

  private drawTrack(context: CanvasRenderingContext2D, box: TrackBox, window: Window, theme: Theme): void {
    const counter = this.counterOf(box);
    const { x0, x1, span } = this.viewport;
    const [bottom, top] = scale(counter);
    const free = box.height < LOWEST_WITH_WORDS ? PADDING : WORDS;
    const height = box.height - free - PADDING;
    const ground = box.top - window.top + free + height;
    const y = (value: number) => ground - ((value - bottom) / (top - bottom)) * height;
    const columns = Math.max(1, Math.round(window.width));
    const { low, high } = counter.columns(x0, x1, columns);
    const colour = theme.dark ? COLOUR.dark : COLOUR.light;
    context.fillStyle = colour;
    for (let x = 0; x < columns; x++) {
      if (Number.isNaN(high[x])) continue;
      const [crest, foot, base] = [y(high[x]), y(low[x]), y(Math.max(0, bottom))];
      // Full up to the least value of a column, half up to the greatest, and a line along that.
      context.globalAlpha = 0.34;
      context.fillRect(x, Math.min(foot, base), 1, Math.abs(base - foot));
      context.globalAlpha = 0.6;
      context.fillRect(x, crest, 1, foot - crest);
      context.globalAlpha = 1;
      context.fillRect(x, crest - 0.75, 1, 1.5);
    }
    const shown = counter.range(x0, x1);
    if (shown) {
      const { unit } = counter.info;
      const [least, most] = [amount(shown[0], unit), amount(shown[1], unit)];
      const words = least === most ? most : `min ${least} · max ${most}`;
      text(context, words, window.width - 4, box.top - window.top + 13, theme);
    }
    context.fillStyle = theme.grid;
    context.fillRect(0, box.top - window.top + box.height - 1, window.width, 1);
    this.drawCursor(context, counter, (time) => ((time - x0) / span) * window.width, y, theme);
  }

  private drawCursor(
    context: CanvasRenderingContext2D,
    counter: Counter,
    x: (time: number) => number,
    y: (value: number) => number,
    theme: Theme,
  ): void {
    const sample = this.cursor === null ? -1 : counter.at(this.cursor);
    if (sample < 0) return;
    context.beginPath();
    context.arc(x(this.cursor!), y(counter.value[sample]), 4, 0, 2 * Math.PI);
    context.fillStyle = theme.arrow;
    context.fill();
  }

  private label(counter: Counter): Label {
    const { info, time } = counter;
    const value = h("small", {});
    const element = h(
      "div",
      {
        class: "nbp-track nbp-counter",
        title: `${info.label}, from ${info.source}`,
        role: "slider",
        tabindex: 0,
        "aria-label": `${info.label}, sample by sample`,
        "aria-valuemin": 1,
        "aria-valuemax": time.length,
      },
      h("bdi", {}, info.label),
      value,
    );
    const label = { element, value, sample: -1 };
    element.addEventListener("keydown", (event) => {
      const to = target(event.key, label.sample, time.length - 1);
      if (to === null) return;
      event.preventDefault();
      event.stopPropagation();
      const at = counter.info.span_ns ? (counter.begin[to] + counter.end[to]) / 2 : counter.begin[to];
      this.viewport.reveal(at, at);
      this.point(at);
      label.sample = to;
      this.tell();
    });
    element.addEventListener("blur", () => this.point(null));
    return label;
  }

  /** Put the values at the cursor, or the greatest ones, into the labels. */
  private tell(): void {
    this.labels.forEach((label, i) => {
      const counter = this.counters[i];
      const { unit } = counter.info;
      label.sample = this.cursor === null ? -1 : counter.at(this.cursor);
      const { sample } = label;
      const some = sample >= 0;
      const nothing = this.cursor === null ? between(counter, " – ") : "–";
      label.value.textContent = some ? amount(counter.value[sample], unit) : nothing;
      label.element.setAttribute("aria-valuenow", String(some ? sample + 1 : 1));
      label.element.setAttribute(
        "aria-valuetext",
        some
          ? `${amount(counter.value[sample], unit)} ${this.when(counter, sample)}`
          : between(counter, " to "),
      );
    });
  }

  /** Since when a value holds, or over which time it is the mean. */
  private when(counter: Counter, sample: number): string {
    const { begin, end, info } = counter;
    const at = (time: number) => duration(time - this.origin());
    if (info.span_ns) return `on average, ${at(begin[sample])} to ${at(end[sample])}`;
    return `from ${at(begin[sample])} on`;
  }
}

interface Label {
  element: HTMLElement;
  value: HTMLElement;
  /** The sample that it tells, -1 for none. */
  sample: number;
}

/** The least and the greatest value of all. */
function between({ least, most, info: { unit } }: Counter, word: string): string {
  return least === most ? amount(most, unit) : amount(least, unit) + word + amount(most, unit);
}

/** The values at the bottom and the top of a track: from 0, and of percent up to 100. */
function scale({ least, most, info }: Counter): [bottom: number, top: number] {
  const bottom = Math.min(0, least);
  const top = info.unit === "%" ? Math.max(100, most) : Math.max(0, most);
  return [bottom, top > bottom ? top : bottom + 1];
}

/** The sample that a key goes to from another, or null for a key that goes nowhere. */
function target(key: string, from: number, last: number): number | null {
  const by: Record<string, number> = {
    ArrowRight: 1,
    ArrowUp: 1,
    ArrowLeft: -1,
    ArrowDown: -1,
    PageUp: PAGE,
    PageDown: -PAGE,
  };
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (!(key in by)) return null;
  return from < 0 ? 0 : Math.min(last, Math.max(0, from + by[key]));
}

/** Text at the right, on a ground of its own so that it can be read over the curve. */
function text(
  context: CanvasRenderingContext2D,
  words: string,
  right: number,
  bottom: number,
  theme: Theme,
): void {
  context.font = FONT;
  context.textAlign = "right";
  context.textBaseline = "alphabetic";
  const width = context.measureText(words).width;
  const [red, green, blue] = rgb(theme.background);
  context.fillStyle = `rgba(${red}, ${green}, ${blue}, 0.85)`;
  context.fillRect(right - width - 3, bottom - 11, width + 6, 14);
  context.fillStyle = theme.quiet;
  context.fillText(words, right, bottom);
}
