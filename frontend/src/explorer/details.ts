import { readableJson } from "../core/json.ts";
import { decimal, exactNs } from "../core/time.ts";
import type { Trace } from "../core/trace.ts";
import { h } from "./dom.ts";

/** Everything that the capture says about one event. */
export function details(trace: Trace, row: number | null): HTMLElement {
  if (row === null)
    return h("p", { class: "nbp-empty" }, "Select an event to see its exact times and arguments.");
  const { events, meta } = trace;
  const track = trace.track(row);
  const begin = BigInt(meta.origin_ns) + BigInt(events.start[row]);
  const facts: [term: string, text: string][] = [
    ["name", trace.name(row)],
    ["category", trace.category(row)],
    ["lane", `${track.lane + 1} ${meta.lanes[track.lane]}`],
    ["track", track.label],
    ["start", `${exactNs(events.start[row] - events.first)} after the first event`],
    ["duration", exactNs(events.dur[row])],
    ["Unix time", `${begin} ns`],
    ["event id", String(events.id[row])],
  ];
  const list = h("dl", { class: "nbp-facts-of-event" });
  for (const [term, text] of facts) list.append(h("dt", {}, term), h("dd", {}, text));
  const args = h(
    "pre",
    { class: "nbp-args", tabindex: 0, "aria-label": "Arguments" },
    readableJson(trace.args(row)),
  );
  return h("div", { class: "nbp-details" }, list, args);
}

/** What the reader repaired, skipped or guessed. */
export function notes(trace: Trace): HTMLElement {
  const { notes, source, summary } = trace.meta;
  const from = source
    ? h("p", {}, `${decimal(summary.events)} events, read from `, h("code", {}, source))
    : null;
  const items = notes.map(({ text, count }) =>
    h("li", {}, text, count > 1 ? h("b", {}, ` × ${decimal(count)}`) : null),
  );
  const list = items.length
    ? h("ul", {}, ...items)
    : h("p", {}, "Nothing was repaired, skipped or guessed in reading this capture.");
  return h("div", { class: "nbp-notes" }, from, list);
}
