import { importSource } from "../explorer/bokeh.ts";
import { unpack } from "../explorer/gzip.ts";
import type * as Drawing from "./drawing.ts";
import { bytes, referred, type WidgetModel, type WidgetView } from "./model.ts";

/**
 * What every widget brings as its own module, and therefore little: `drawing.ts` and BokehJS come with the library,
 * which all widgets of a kernel share.
 */
async function render(view: WidgetView): Promise<() => void> {
  const library = await referred(view.model, "library");
  return (await drawing(library)).render(view, library);
}

/** The module that draws, by version for the whole notebook page, whatever kernel it came from. */
const SHARED = Symbol.for("neuron_nbprof.drawing");
type Shared = typeof globalThis & { [SHARED]?: Map<string, Promise<typeof Drawing>> };

function drawing(library: WidgetModel): Promise<typeof Drawing> {
  const shared = ((globalThis as Shared)[SHARED] ??= new Map());
  const version = library.get("version") as string;
  let found = shared.get(version);
  if (!found) {
    found = load(library);
    shared.set(version, found);
    found.catch(() => shared.delete(version));
  }
  return found;
}

async function load(library: WidgetModel): Promise<typeof Drawing> {
  const source = await unpack(bytes(library, "drawing"));
  return (await importSource([source])) as typeof Drawing;
}

export default { render };
