import { downstream, upstream, type Bundle, type Neighbour } from "../core/neighbours.ts";
import { decimal, duration, exactNs } from "../core/time.ts";
import type { Trace } from "../core/trace.ts";
import { h } from "./dom.ts";

/** Entries of an opened bundle. */
const LISTED = 200;

/** What leads to an event and what follows from it, one link away; each entry selects. */
export function neighbourLists(trace: Trace, row: number, select: (row: number) => void): HTMLElement[] {
  return [list("Upstream", upstream(trace, row)), list("Downstream", downstream(trace, row))].filter(
    (element) => element !== null,
  );

  function list(title: string, bundles: Bundle[]): HTMLElement | null {
    if (!bundles.length) return null;
    const count = bundles.reduce((sum, bundle) => sum + bundle.neighbours.length, 0);
    const items = bundles.map((bundle) =>
      bundle.neighbours.length === 1 ? entry(bundle.neighbours[0]) : fan(bundle),
    );
    return h(
      "details",
      { class: "nbp-neighbours", open: true },
      h("summary", {}, `${title} (${decimal(count)})`),
      h("ul", {}, ...items),
    );
  }

  /** Many of one kind: a line that opens, and is filled when it does. */
  function fan(bundle: Bundle): HTMLElement {
    const { neighbours } = bundle;
    const total = neighbours.reduce((sum, one) => sum + trace.events.dur[one.row], 0);
    const summary = h(
      "summary",
      {},
      `${decimal(neighbours.length)} × ${bundle.name}`,
      h("small", {}, `${duration(total)} summed · ${rule(bundle.rule)}`),
    );
    const details = h("details", {}, summary);
    details.addEventListener(
      "toggle",
      () => {
        const items = neighbours.slice(0, LISTED).map((one) => entry(one));
        const rest = neighbours.length - items.length;
        details.append(h("ul", {}, ...items, rest > 0 && h("li", {}, `and ${decimal(rest)} more`)));
      },
      { once: true },
    );
    return h("li", {}, details);
  }

  function entry({ row: other, gap, rule: by }: Neighbour): HTMLElement {
    const name = h(
      "button",
      { type: "button", "aria-label": `Select ${trace.name(other)}` },
      trace.name(other),
    );
    name.addEventListener("click", () => select(other));
    const track = trace.track(other);
    const between =
      gap === null ? "owns it" : gap < 0 ? `begins ${duration(-gap)} before the end` : `${duration(gap)} gap`;
    const where = `${track.lane + 1} ${trace.meta.lanes[track.lane]} · ${between} · ${rule(by)}`;
    const ns = trace.events.dur[other];
    return h("li", {}, name, h("em", { title: exactNs(ns) }, duration(ns)), h("small", {}, where));
  }

  function rule(by: number): string {
    return trace.meta.rules[by].text;
  }
}
