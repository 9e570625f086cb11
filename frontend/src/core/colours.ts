/** Colours by number: 0 for annotations, `WAITING` for time spent waiting, the others for operators by their name. */
export const WAITING = 255;

/** Okabe and Ito's colours, told apart by most kinds of colour vision, and then each of them darker and lighter. */
const HUES = ["#0072b2", "#e69f00", "#cc79a7", "#009e73", "#d55e00", "#56b4e9", "#7b52a6", "#a6761d"];
const OPERATORS = [
  ...HUES,
  ...HUES.map((hue) => tone(hue, 0, 0.4)),
  ...HUES.map((hue) => tone(hue, 255, 0.4)),
];
const GREY = { light: "#c9cfd6", dark: "#454d57" };
/** Least contrast of text, WCAG 2.2 level AA. */
const READABLE = 4.5;
/** Opacity of what is not part of the chosen chain. */
export const DIMMED = 0.28;

export interface Theme {
  dark: boolean;
  background: string;
  /** Labels of what is dimmed. */
  quiet: string;
  arrow: string;
  grid: string;
  hatch: string;
}

export const LIGHT: Theme = {
  dark: false,
  background: "#f7f8fa",
  quiet: "#434c56",
  arrow: "#111111",
  grid: "#e1e5e9",
  hatch: "#9aa3ad",
};
export const DARK: Theme = {
  dark: true,
  background: "#1c2025",
  quiet: "#c0c8d1",
  arrow: "#ffffff",
  grid: "#2d333a",
  hatch: "#6b7684",
};

export type Rgb = [red: number, green: number, blue: number];

export function colourOf(index: number, theme: Theme): string {
  return isOperator(index) ? operatorColour(index) : theme.dark ? GREY.dark : GREY.light;
}

/** Whether a colour number stands for an operator. */
export function isOperator(index: number): boolean {
  return index !== 0 && index !== WAITING;
}

/** The colour of an operator, the same in both themes. */
export function operatorColour(index: number): string {
  return OPERATORS[(index - 1) % OPERATORS.length];
}

export function rgb(hex: string): Rgb {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** A colour moved by a share towards black (0) or white (255). */
function tone(hex: string, towards: number, share: number): string {
  const parts = rgb(hex).map((value) => Math.round(value + (towards - value) * share));
  return `#${parts.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** How one theme draws each of the 256 colour numbers. */
export class Palette {
  /** Bytes R, G, B, A in memory, for the raster. */
  readonly raster = new Uint32Array(256);
  /** 0xRRGGBBAA, as Bokeh reads colours from a column. */
  readonly bars = new Uint32Array(256);
  /** A text colour that can be read on each of them. */
  readonly text: string[] = [];

  constructor(theme: Theme, dimmed: boolean) {
    const opacity = dimmed ? DIMMED : 1;
    for (let index = 0; index < 256; index++) {
      const [red, green, blue] = rgb(colourOf(index, theme));
      const alpha = Math.round(255 * opacity);
      this.bars[index] = ((red << 24) | (green << 16) | (blue << 8) | alpha) >>> 0;
      this.raster[index] = ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
      const ground = blend([red, green, blue], rgb(theme.background), opacity);
      const quiet = dimmed && contrast(ground, rgb(theme.quiet)) >= READABLE;
      this.text.push(quiet ? theme.quiet : readable(ground));
    }
  }
}

export function blend(top: Rgb, under: Rgb, opacity: number): Rgb {
  return top.map((value, i) => value * opacity + under[i] * (1 - opacity)) as Rgb;
}

/** Near black or white, whichever stands out more. */
export function readable(on: Rgb): string {
  return contrast(on, [17, 17, 17]) >= contrast(on, [255, 255, 255]) ? "#111111" : "#ffffff";
}

/** Contrast ratio of WCAG 2.2, from 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((value) => {
    const c = value / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
