import type { Answers } from "../core/answers.ts";
import { decode } from "../core/decode.ts";
import type { Trace } from "../core/trace.ts";
import type { Meta } from "../core/meta.ts";
import { loadBokeh, type Bokeh } from "../explorer/bokeh.ts";
import { asker } from "./asking.ts";
import { Explorer, type ViewOptions } from "../explorer/explorer.ts";
import { unpack } from "../explorer/gzip.ts";

/** What anywidget hands over; a model's references to other models arrive as "IPY_MODEL_<id>". */
interface WidgetModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(content: unknown): void;
  on(event: string, listener: (content: unknown) => void): void;
  off(event: string, listener: (content: unknown) => void): void;
  widget_manager: { get_model(id: string): Promise<WidgetModel> };
}

const REFERENCE = "IPY_MODEL_";
/** BokehJS by version for the whole notebook page: each widget brings a copy of this module, they share this. */
const SHARED = Symbol.for("neuron_nbprof.bokeh");
type Shared = typeof globalThis & { [SHARED]?: Map<string, Promise<Bokeh>> };

/** Decoded traces, shared by all views of a widget. */
const traces = new WeakMap<WidgetModel, Promise<Trace>>();

async function resolve(model: WidgetModel, reference: unknown): Promise<WidgetModel> {
  if (typeof reference !== "string") return reference as WidgetModel;
  return model.widget_manager.get_model(reference.replace(REFERENCE, ""));
}

async function content(blob: WidgetModel): Promise<Uint8Array> {
  const data = blob.get("data") as DataView;
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

async function bokehOf(model: WidgetModel): Promise<Bokeh> {
  const shared = ((globalThis as Shared)[SHARED] ??= new Map());
  const version = model.get("library_version") as string;
  let bokeh = shared.get(version);
  if (!bokeh) {
    bokeh = load(model);
    shared.set(version, bokeh);
    bokeh.catch(() => shared.delete(version));
  }
  return bokeh;
}

async function load(model: WidgetModel): Promise<Bokeh> {
  const packed = await content(await resolve(model, model.get("library")));
  return loadBokeh(new TextDecoder().decode(await unpack(packed as BlobPart)));
}

async function traceOf(model: WidgetModel): Promise<Trace> {
  let trace = traces.get(model);
  if (!trace) {
    trace = read(model);
    traces.set(model, trace);
  }
  return trace;
}

async function read(model: WidgetModel): Promise<Trace> {
  const chunks = await Promise.all((model.get("chunks") as unknown[]).map((chunk) => resolve(model, chunk)));
  const packed = new Blob((await Promise.all(chunks.map(content))) as BlobPart[]);
  return decode(model.get("meta") as Meta, await unpack(packed));
}

/** The picture beside the widget is for readers without a kernel; where the widget is alive it is not needed. */
function hidePicture(model: WidgetModel): void {
  const id = model.get("picture") as string;
  for (const picture of document.querySelectorAll<HTMLElement>(`[data-nbp-picture="${CSS.escape(id)}"]`))
    picture.hidden = true;
}

async function render({ model, el }: { model: WidgetModel; el: HTMLElement }): Promise<() => void> {
  const [bokeh, trace] = await Promise.all([bokehOf(model), traceOf(model)]);
  const explorer = new Explorer(trace, model.get("view") as ViewOptions);
  el.append(explorer.root);
  hidePicture(model);
  const follow = () => explorer.select(model.get("selected") as number | null);
  explorer.onSelect = (id) => {
    model.set("selected", id);
    model.save_changes();
  };
  explorer.event.fetchArgs = asker(model);
  explorer.takeArrangement(model.get("arrangement"));
  explorer.onArrange = (state) => {
    model.set("arrangement", state);
    model.save_changes();
  };
  await explorer.embed(bokeh, model.get("figure"));
  explorer.onAsk = () => {
    model.set("asked", true);
    model.save_changes();
  };
  const tell = () => {
    const answers = model.get("answers") as Answers | null;
    if (answers) explorer.tell(answers);
  };
  const arrange = () => explorer.arrange(model.get("view") as ViewOptions);
  model.on("change:selected", follow);
  model.on("change:view", arrange);
  const rearrange = () => explorer.takeArrangement(model.get("arrangement"));
  model.on("change:arrangement", rearrange);
  model.on("change:answers", tell);
  follow();
  tell();
  // The first message opens the way by which later ones reach Python while a cell runs.
  model.set("views", ((model.get("views") as number) ?? 0) + 1);
  model.save_changes();
  return () => {
    model.off("change:selected", follow);
    model.off("change:view", arrange);
    model.off("change:arrangement", rearrange);
    model.off("change:answers", tell);
    explorer.remove();
  };
}

export default { render };
