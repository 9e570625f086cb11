import { decode } from "../core/decode.ts";
import type { Meta } from "../core/meta.ts";
import { loadBokeh } from "../explorer/bokeh.ts";
import { Explorer } from "../explorer/explorer.ts";
import { unpack } from "../explorer/gzip.ts";
import { connectHost } from "./host.ts";

/** The self-contained page: data and BokehJS stand in elements of the page itself. */
async function main(): Promise<void> {
  const [block, bokeh] = await Promise.all([packed("columns"), packed("bokeh")]);
  const explorer = new Explorer(decode(JSON.parse(text("meta")) as Meta, block));
  document.getElementById("explorer")!.append(explorer.root);
  await explorer.embed(await loadBokeh(new TextDecoder().decode(bokeh)), JSON.parse(text("figure")));
  connectHost(explorer.root);
}

function text(id: string): string {
  return document.getElementById(id)!.textContent ?? "";
}

function packed(id: string): Promise<ArrayBuffer> {
  return unpack(Uint8Array.from(atob(text(id)), (letter) => letter.charCodeAt(0)));
}

main().catch((error: unknown) => {
  document.getElementById("explorer")!.textContent = `This page cannot be drawn: ${String(error)}`;
});
