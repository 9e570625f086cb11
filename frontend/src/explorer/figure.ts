import { embed, type Bokeh, type FigureView, type RendererModel } from "./bokeh.ts";

const RENDERERS = [
  "grid",
  "density",
  "slices",
  "waits",
  "marks",
  "labels",
  "arrows",
  "guesses",
  "heads",
] as const;
export type Renderer = (typeof RENDERERS)[number];
type Column = unknown;

/** Bars are kept in arrays of these lengths: Bokeh does its work twice whenever a length changes. */
const LENGTHS = [64, 256, 700];

export interface Bars {
  left: number[];
  right: number[];
  y: number[];
  height: number[];
  colour: number[];
}

export const noBars = (): Bars => ({ left: [], right: [], y: [], height: [], colour: [] });

/** The Bokeh figure: ranges, and for each renderer the columns of its source and the properties of its glyph. */
export class Figure {
  private readonly renderers = new Map<Renderer, RendererModel>();
  /** Renderers that draw nothing, which need not be told so again. */
  private readonly empty = new Set<Renderer>();
  private readonly ndarray: ReturnType<Bokeh["require"]>["ndarray"];

  private constructor(
    bokeh: Bokeh,
    private readonly view: FigureView,
  ) {
    this.ndarray = bokeh.require("core/util/ndarray").ndarray;
    for (const name of RENDERERS) {
      this.renderers.set(name, view.model.document.get_model_by_name(name) as RendererModel);
    }
  }

  static async create(bokeh: Bokeh, item: unknown, element: HTMLElement): Promise<Figure> {
    return new Figure(bokeh, await embed(bokeh, item, element));
  }

  remove(): void {
    this.view.remove();
  }

  /** Show the time `x0` .. `x1` (ns) and the heights `top` .. `bottom` (pixels). */
  range(x0: number, x1: number, top: number, bottom: number): void {
    const { x_range, y_range } = this.view.model;
    x_range.setv({ start: x0, end: x1 });
    y_range.setv({ start: -bottom, end: -top });
  }

  /** Replace the columns of a renderer; Bokeh's comparison of old and new columns would cost more than drawing. */
  set(name: Renderer, data: Record<string, Column>): void {
    const empty = Object.values(data).every((column) => (column as ArrayLike<unknown>).length === 0);
    if (empty && this.empty.has(name)) return;
    if (empty) this.empty.add(name);
    else this.empty.delete(name);
    this.model(name).data_source.setv({ data }, { check_eq: false });
  }

  bars(name: Renderer, bars: Bars): void {
    const count = bars.left.length;
    if (!count && this.empty.has(name)) return;
    const length = LENGTHS.find((size) => size >= count) ?? count;
    const column = (values: number[]) => {
      const padded = new Float64Array(length).fill(NaN);
      padded.set(values);
      return padded;
    };
    const colour = new Uint32Array(length);
    colour.set(bars.colour);
    this.set(name, {
      left: column(bars.left),
      right: column(bars.right),
      y: column(bars.y),
      height: column(bars.height),
      colour: this.colours(colour),
    });
    if (!count) this.empty.add(name);
  }

  private colours(values: Uint32Array): unknown {
    return this.ndarray(values.buffer, { dtype: "uint32", shape: [values.length] });
  }

  /** A picture of `lines` by `columns` pixels, from time `x0` to `x1` and `height` pixels down from `top`. */
  picture(pixels: Uint32Array, lines: number, x0: number, x1: number, top: number, height: number): void {
    const image = this.ndarray(pixels.buffer, { dtype: "uint32", shape: [lines, pixels.length / lines] });
    this.set("density", { image: [image], x: [x0], y: [-top], dw: [x1 - x0], dh: [height] });
  }

  style(name: Renderer, properties: Record<string, string | number>): void {
    const values = Object.entries(properties).map(([key, value]) => [key, { value }]);
    this.model(name).glyph.setv(Object.fromEntries(values));
  }

  private model(name: Renderer): RendererModel {
    return this.renderers.get(name)!;
  }
}
