import type { Answer, Answers, Compared } from "../core/answers.ts";
import { decode } from "../core/decode.ts";
import type { Meta } from "../core/meta.ts";
import type { Trace } from "../core/trace.ts";
import { loadBokeh, type Bokeh } from "../explorer/bokeh.ts";
import { Comparison } from "../explorer/comparison.ts";
import { Explorer, type ViewOptions } from "../explorer/explorer.ts";
import { unpack } from "../explorer/gzip.ts";
import { asker } from "./asking.ts";
import { bytes, listed, type WidgetModel, type WidgetView } from "./model.ts";

/** BokehJS once for all widgets, and decoded traces once for all views of a widget. */
let bokeh: Promise<Bokeh> | undefined;
const traces = new WeakMap<WidgetModel, Promise<Trace>>();

/** Draw a view of a widget, an explorer or a comparison of explorers; returns how to take it away again. */
export async function render({ model, el }: WidgetView, library: WidgetModel): Promise<() => void> {
  bokeh ??= bokehOf(library);
  const models = model.get("kind") === "comparison" ? await listed(model, "explorers") : [model];
  const [loaded, ...read] = await Promise.all([bokeh, ...models.map(traceOf)]);
  const options = model.get("view") as ViewOptions;
  const compared = model.get("compared") as Answer<Compared>;
  const shown =
    models[0] === model ? new Explorer(read[0], options) : new Comparison(read, compared, options);
  el.append(shown.root);
  hidePicture(model);
  await shown.embed(loaded, library.get("figure"));
  const arrange = () => shown.arrange(model.get("view") as ViewOptions);
  model.on("change:view", arrange);
  const apart = models.map((one, i) => connect(one, shown.explorers[i]));
  // The first message opens the way by which later ones reach Python while a cell runs.
  model.set("views", ((model.get("views") as number) ?? 0) + 1);
  model.save_changes();
  return () => {
    model.off("change:view", arrange);
    for (const end of apart) end();
    shown.remove();
  };
}

async function bokehOf(library: WidgetModel): Promise<Bokeh> {
  return loadBokeh(new TextDecoder().decode(await unpack(bytes(library, "bokeh"))));
}

function traceOf(model: WidgetModel): Promise<Trace> {
  let trace = traces.get(model);
  if (!trace) {
    trace = read(model);
    traces.set(model, trace);
  }
  return trace;
}

async function read(model: WidgetModel): Promise<Trace> {
  const chunks = await listed(model, "chunks");
  return decode(
    model.get("meta") as Meta,
    await unpack(new Blob(chunks.map((chunk) => bytes(chunk, "data")))),
  );
}

/** The picture beside the widget is for readers without a kernel; where the widget is alive it is not needed. */
function hidePicture(model: WidgetModel): void {
  const id = model.get("picture") as string;
  for (const picture of document.querySelectorAll<HTMLElement>(`[data-nbp-picture="${CSS.escape(id)}"]`))
    picture.hidden = true;
}

/** What Python and all explorers of a profile have in common, and what they ask it; returns how to end that. */
function connect(model: WidgetModel, explorer: Explorer): () => void {
  const put = (name: string, value: unknown) => {
    model.set(name, value);
    model.save_changes();
  };
  explorer.onSelect = (id) => put("selected", id);
  explorer.onArrange = (state) => put("arrangement", state);
  explorer.onAsk = () => put("asked", true);
  explorer.event.fetchArgs = asker(model);
  const take: [trait: string, listener: () => void][] = [
    ["selected", () => explorer.select(model.get("selected") as number | null)],
    ["arrangement", () => explorer.takeArrangement(model.get("arrangement"))],
    ["answers", () => model.get("answers") && explorer.tell(model.get("answers") as Answers)],
  ];
  for (const [trait, listener] of take) {
    model.on(`change:${trait}`, listener);
    listener();
  }
  return () => {
    for (const [trait, listener] of take) model.off(`change:${trait}`, listener);
  };
}
