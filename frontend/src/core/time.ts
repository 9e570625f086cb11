const UNITS = [
  { name: "ns", ns: 1, decimals: 0 },
  { name: "µs", ns: 1e3, decimals: 3 },
  { name: "ms", ns: 1e6, decimals: 6 },
  { name: "s", ns: 1e9, decimals: 9 },
] as const;
type Unit = (typeof UNITS)[number];

/** A number with a fixed count of decimals and a comma between thousands. */
export function decimal(value: number, decimals = 0): string {
  const [whole, rest] = Math.abs(value).toFixed(decimals).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const sign = value < 0 && Number(value.toFixed(decimals)) !== 0 ? "−" : "";
  return sign + grouped + (rest ? `.${rest}` : "");
}

/** A duration in the unit people compare it in: µs up to 10,000, then ms, then s. */
export function duration(ns: number): string {
  const size = Math.abs(ns);
  const unit = size < 1e3 ? UNITS[0] : size < 1e7 ? UNITS[1] : size < 1e10 ? UNITS[2] : UNITS[3];
  const text = decimal(ns / unit.ns, unit.ns === 1 ? 0 : digits(size / unit.ns));
  return `${text.replace(/\.0+$/, "")} ${unit.name}`;
}

function digits(value: number): number {
  return value < 10 ? 2 : value < 100 ? 1 : 0;
}

export function exactNs(ns: number): string {
  return `${decimal(ns)} ns`;
}

/** Times in µs with as many decimals as all of them need to be exact, so that shown sums are true. */
export function exactMicros(times: number[]): string[] {
  const decimals = times.every((ns) => ns % 1000 === 0) ? 0 : times.every((ns) => ns % 100 === 0) ? 1 : 3;
  return times.map((ns) => decimal(ns / 1000, decimals));
}

export interface Tick {
  time: number;
  label: string;
}

/** About one tick for every `spacing` pixels, at round times; labels are exact in the unit that fits the span. */
export function ticks(x0: number, x1: number, width: number, spacing = 110): Tick[] {
  const step = roundStep(((x1 - x0) * spacing) / Math.max(width, 1));
  const unit = unitFor(x1 - x0);
  const decimals = Math.min(unit.decimals, Math.max(0, -Math.floor(Math.log10(step / unit.ns) + 1e-9)));
  const found: Tick[] = [];
  for (let k = Math.ceil(x0 / step); k * step <= x1; k++) {
    const time = k * step;
    found.push({ time, label: time === 0 ? "0" : `${decimal(time / unit.ns, decimals)} ${unit.name}` });
  }
  return found;
}

/** 1, 2 or 5 times a power of ten, at least 1 ns. */
function roundStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)));
  const factor = [1, 2, 5, 10].find((f) => f * power >= wanted) ?? 10;
  return factor * power;
}

function unitFor(span: number): Unit {
  return span < 1e3 ? UNITS[0] : span < 1e6 ? UNITS[1] : span < 1e9 ? UNITS[2] : UNITS[3];
}
