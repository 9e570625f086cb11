/** What the explorer uses of BokehJS. */
export interface Bokeh {
  embed: { embed_item(item: unknown, element: HTMLElement): Promise<unknown> };
  require(module: "core/util/ndarray"): {
    ndarray(buffer: ArrayBufferLike, options: { dtype: string; shape: number[] }): unknown;
  };
}

export interface Model {
  setv(attributes: Record<string, unknown>, options?: { check_eq?: boolean }): void;
}

export interface RendererModel extends Model {
  glyph: Model;
  data_source: Model;
}

export interface FigureView {
  model: Model & {
    x_range: Model;
    y_range: Model;
    document: { get_model_by_name(name: string): Model | null };
  };
  remove(): void;
}

/**
 * BokehJS from its source, private to us: its wrapper assigns to `this`, so `window.Bokeh` of other extensions is
 * neither used nor replaced.
 */
export async function loadBokeh(source: string): Promise<Bokeh> {
  const wrapped = ["const root = {};(function () {", source, "\n}).call(root);export default root.Bokeh;"];
  return ((await importSource(wrapped)) as { default: Bokeh }).default;
}

/** A module from its source. A Blob import runs under a CSP that forbids `eval`. */
export async function importSource(source: BlobPart[]): Promise<unknown> {
  const url = URL.createObjectURL(new Blob(source, { type: "text/javascript" }));
  try {
    return await import(/* webpackIgnore: true */ url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

export async function embed(bokeh: Bokeh, item: unknown, element: HTMLElement): Promise<FigureView> {
  // Embedding changes the item, which several views may share.
  const views = (await bokeh.embed.embed_item(structuredClone(item), element)) as
    Iterable<FigureView> | { roots: Iterable<FigureView> };
  return [...("roots" in views ? views.roots : views)][0];
}
