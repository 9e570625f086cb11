import { readable, rgb } from "../core/colours.ts";
import { Lane } from "../core/meta.ts";
import { decimal, duration } from "../core/time.ts";
import type { Share } from "../core/waiting.ts";
import { h } from "./dom.ts";

/** Shares below this have no room for words. */
const NAMED = 0.2;
const AT_STATION = ["dispatch", "stream", "submits", "runs"];

/** A bar of the whole time from the first station to the last, cut by what happens in it. */
export function shareBar(shares: Share[], colour: string): HTMLElement {
  const total = shares.reduce((sum, share) => sum + share.ns, 0) || 1;
  const parts = shares.map((share) => {
    const percent = `${decimal((100 * share.ns) / total)} %`;
    const what = words(share);
    const part = h("div", {
      class: `nbp-share-${share.kind}`,
      title: `${what}: ${duration(share.ns)}, ${percent}`,
    });
    if (share.ns / total >= NAMED) part.append(`${what} ${percent}`);
    part.style.flexGrow = String(share.ns / total);
    if (share.kind === "station") {
      part.style.background = colour;
      part.style.color = colour.startsWith("#") ? readable(rgb(colour)) : "var(--nbp-bg)";
    }
    return part;
  });
  const label = shares.map((share) => `${words(share)} ${decimal((100 * share.ns) / total)} %`).join(", ");
  return h("div", { class: "nbp-shares", role: "img", "aria-label": label }, ...parts);
}

function words(share: Share): string {
  if (share.kind === "station") return AT_STATION[share.lane];
  if (share.kind === "busy") return "device busy with others";
  if (share.kind === "idle") return "device idle";
  return share.lane === Lane.Hardware ? "waits for the device" : "waits";
}
