import type { Answer, Compared } from "../core/answers.ts";
import { decode } from "../core/decode.ts";
import type { Meta } from "../core/meta.ts";
import type { Trace } from "../core/trace.ts";
import { loadBokeh } from "../explorer/bokeh.ts";
import { Comparison } from "../explorer/comparison.ts";
import { Explorer } from "../explorer/explorer.ts";
import { unpack } from "../explorer/gzip.ts";
import { keepAddress } from "./address.ts";
import { connectHost } from "./host.ts";

/** The self-contained page: data and BokehJS stand in elements of the page itself. */
async function main(): Promise<void> {
  const metas = [...document.querySelectorAll("script[data-part='meta']")];
  const blocks = [...document.querySelectorAll("script[data-part='columns']")];
  const [bokeh, ...columns] = await Promise.all([element("bokeh"), ...blocks].map(packed));
  const traces = metas.map((meta, i) => decode(JSON.parse(meta.textContent ?? "") as Meta, columns[i]));
  const shown = await show(traces);
  await shown.embed(await loadBokeh(new TextDecoder().decode(bokeh)), JSON.parse(text(element("figure"))));
  connectHost(shown.root);
}

async function show(traces: Trace[]): Promise<Explorer | Comparison> {
  const place = element("explorer");
  if (traces.length > 1) {
    const answer = document.querySelector("script[data-part='comparison']")!;
    const comparison = new Comparison(traces, JSON.parse(text(answer)) as Answer<Compared>);
    place.append(comparison.root);
    return comparison;
  }
  const explorer = new Explorer(traces[0]);
  place.append(explorer.root);
  keepAddress(explorer);
  return explorer;
}

function element(id: string): Element {
  return document.getElementById(id)!;
}

function text(from: Element): string {
  return from.textContent ?? "";
}

function packed(from: Element): Promise<ArrayBuffer> {
  return unpack(Uint8Array.from(atob(text(from)), (letter) => letter.charCodeAt(0)));
}

main().catch((error: unknown) => {
  element("explorer").textContent = `This page cannot be drawn: ${String(error)}`;
});
