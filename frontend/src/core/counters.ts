import type { CounterInfo } from "./meta.ts";

/** Samples to a block, of which the least and the greatest value are known. */
const BLOCK = 64;

/** The least and greatest value of each column of pixels, NaN where there is none. */
export interface Columns {
  low: Float64Array;
  high: Float64Array;
}

/**
 * One quantity over time. Sample i holds from `begin[i]` until `end[i]`, and the intervals do not overlap: a value
 * lasts until the next one, or is the mean over a span before its own time.
 */
export class Counter {
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** Of all samples. */
  readonly least: number;
  readonly most: number;
  private readonly lows: Float64Array;
  private readonly highs: Float64Array;

  /** `last` is the end of the trace, until which the last value lasts. */
  constructor(
    readonly info: CounterInfo,
    readonly time: Float64Array,
    readonly value: Float64Array,
    last: number,
  ) {
    const { span_ns } = info;
    const count = time.length;
    this.begin = span_ns
      ? Float64Array.from(time, (at, i) => Math.max(at - span_ns, i ? time[i - 1] : -Infinity))
      : time;
    this.end = span_ns
      ? time
      : Float64Array.from(time, (at, i) => (i + 1 < count ? time[i + 1] : Math.max(last, at)));
    const blocks = Math.ceil(count / BLOCK);
    this.lows = new Float64Array(blocks).fill(Infinity);
    this.highs = new Float64Array(blocks).fill(-Infinity);
    for (let i = 0; i < count; i++) {
      const block = Math.floor(i / BLOCK);
      this.lows[block] = Math.min(this.lows[block], value[i]);
      this.highs[block] = Math.max(this.highs[block], value[i]);
    }
    this.least = this.lows.reduce((a, b) => Math.min(a, b), Infinity);
    this.most = this.highs.reduce((a, b) => Math.max(a, b), -Infinity);
  }

  /** The sample that holds at a time, or -1. */
  at(time: number): number {
    const i = this.lastBefore(time);
    return i >= 0 && (time < this.end[i] || time === this.begin[i]) ? i : -1;
  }

  /** Least and greatest value within a span of time; null where there is none. */
  range(from: number, to: number): [least: number, most: number] | null {
    const { low, high } = this.columns(from, to, 1);
    return Number.isNaN(low[0]) ? null : [low[0], high[0]];
  }

  /** What each of `count` equal columns between two times holds: no peak is lost, however short. */
  columns(from: number, to: number, count: number): Columns {
    const low = new Float64Array(count).fill(NaN);
    const high = new Float64Array(count).fill(NaN);
    const width = (to - from) / count;
    let first = Math.max(0, this.lastBefore(from));
    for (let column = 0; column < count; column++) {
      const left = from + column * width;
      const right = from + (column + 1) * width;
      // What ended before the column is not part of it; what has no length is, where it lies.
      while (first < this.begin.length && this.end[first] <= left && this.begin[first] < left) first++;
      const next = this.firstFrom(right, first);
      if (next <= first) continue;
      this.reduce(first, next, column, low, high);
      first = next - 1;
    }
    return { low, high };
  }

  /** The least and greatest value of the samples `from` .. `to - 1`, block by block where there are many. */
  private reduce(from: number, to: number, column: number, low: Float64Array, high: Float64Array): void {
    let least = Infinity;
    let most = -Infinity;
    for (let i = from; i < to;) {
      if (i % BLOCK === 0 && i + BLOCK <= to) {
        const block = i / BLOCK;
        least = Math.min(least, this.lows[block]);
        most = Math.max(most, this.highs[block]);
        i += BLOCK;
      } else {
        least = Math.min(least, this.value[i]);
        most = Math.max(most, this.value[i]);
        i++;
      }
    }
    low[column] = least;
    high[column] = most;
  }

  /** The last sample that begins at a time or before it, or -1. */
  private lastBefore(time: number): number {
    let low = -1;
    let high = this.begin.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.begin[middle] <= time) low = middle;
      else high = middle;
    }
    return low;
  }

  /** The first sample from `first` on that begins at a time or later. */
  private firstFrom(time: number, first: number): number {
    let low = first - 1;
    let high = this.begin.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.begin[middle] < time) low = middle;
      else high = middle;
    }
    return high;
  }
}

const BINARY = ["B", "KiB", "MiB", "GiB", "TiB"];
const DECIMAL = ["", "k", "M", "G", "T"];

/** A value in the unit that people compare it in. */
export function amount(value: number, unit: string): string {
  if (unit === "B") return scaled(value, 1024, BINARY);
  if (unit === "B/s" || unit === "Hz") return scaled(value, 1000, DECIMAL) + unit;
  const text = rounded(value);
  return unit === "%" ? `${text} %` : unit ? `${text} ${unit}` : text;
}

/** A value with all its digits; "" where `amount` shows them all. */
export function exactAmount(value: number, unit: string): string {
  const text = `${grouped(String(value))}${unit ? ` ${unit}` : ""}`;
  return text === amount(value, unit) ? "" : text;
}

function scaled(value: number, base: number, names: string[]): string {
  let size = 0;
  let rest = value;
  while (Math.abs(rest) >= base && size < names.length - 1) {
    rest /= base;
    size++;
  }
  return `${rounded(rest)} ${names[size]}`;
}

/** Three digits or more, and no zeros behind the point. */
function rounded(value: number): string {
  const size = Math.abs(value);
  const decimals = size < 10 ? 2 : size < 100 ? 1 : 0;
  return grouped(String(Number(value.toFixed(decimals))));
}

function grouped(digits: string): string {
  const [whole, rest] = digits.replace("-", "−").split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? `.${rest}` : "");
}
