import type { Answer, Compared } from "../core/answers.ts";
import { decode } from "../core/decode.ts";
import type { Meta } from "../core/meta.ts";
import type { Trace } from "../core/trace.ts";
import { loadBokeh } from "../explorer/bokeh.ts";
import { Comparison } from "../explorer/comparison.ts";
import { Explorer } from "../explorer/explorer.ts";
import { unpack } from "../explorer/gzip.ts";
import { keepAddress, View } from "./address.ts";
import { connectHost } from "./host.ts";

/** The self-contained page: data and BokehJS stand in elements of the page itself. */
async function main(): Promise<void> {
  const metas = [...document.querySelectorAll("script[data-part='meta']")];
  const blocks = [...document.querySelectorAll("script[data-part='columns']")];
  const [bokeh, ...columns] = await Promise.all([element("bokeh"), ...blocks].map(packed));
  const traces = metas.map((meta, i) => decode(JSON.parse(meta.textContent ?? "") as Meta, columns[i]));
  const shown = show(traces);
  const view = new View(shown.root, shown.explorers);
  keepAddress(view);
  await shown.embed(await loadBokeh(new TextDecoder().decode(bokeh)), JSON.parse(text(element("figure"))));
  connectHost(shown.root, view);
}

function show(traces: Trace[]): Explorer | Comparison {
  const answer = document.querySelector("script[data-part='comparison']");
  const shown = answer
    ? new Comparison(traces, JSON.parse(text(answer)) as Answer<Compared>)
    : new Explorer(traces[0]);
  element("explorer").append(shown.root);
  return shown;
}

function element(id: string): Element {
  return document.getElementById(id)!;
}

function text(from: Element): string {
  return from.textContent ?? "";
}

function packed(from: Element): Promise<ArrayBuffer> {
  return unpack(bytes(text(from)));
}

/** What base64 stands for: by the browser where it can, else letter by letter. */
function bytes(base64: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (fromBase64) return fromBase64.call(Uint8Array, base64);
  const letters = atob(base64);
  const found = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) found[i] = letters.charCodeAt(i);
  return found;
}

main().catch((error: unknown) => {
  element("explorer").textContent = `This page cannot be drawn: ${String(error)}`;
});
