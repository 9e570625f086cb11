import { readableJson } from "../core/json.ts";
import { decimal, exactNs } from "../core/time.ts";
import type { Trace } from "../core/trace.ts";
import { h } from "./dom.ts";

/** How it stands with arguments that have not travelled with the events. */
export type Asked = "absent" | "asked" | "waiting" | "failed";

const ASKED: Record<Asked, string> = {
  absent:
    "The arguments of this capture are larger than a page may carry, so those of this event were left out. " +
    "In Python, profile.trace.args holds them.",
  asked: "Asking the kernel for the arguments …",
  waiting:
    "The kernel has not answered yet. While it is busy, the arguments come when it is free; if it was restarted " +
    "or shut down, run the cell again.",
  failed: "The kernel is gone, and the arguments of this event with it; run the cell again.",
};

/** Everything that the capture says about one event; `asked` says why arguments are missing, if they are. */
export function details(trace: Trace, row: number | null, asked: Asked = "absent"): HTMLElement {
  if (row === null)
    return h("p", { class: "nbp-empty" }, "Select an event to see its exact times and arguments.");
  const { events, meta } = trace;
  const track = trace.track(row);
  const clamped = meta.clamped.find(([other]) => other === row);
  const start = clamped ? BigInt(clamped[1]) : BigInt(events.start[row]);
  const dur = clamped ? BigInt(clamped[2]) : BigInt(events.dur[row]);
  const begin = BigInt(meta.origin_ns) + start;
  const facts: [term: string, text: string][] = [
    ["name", trace.name(row)],
    ["category", trace.category(row)],
    ["lane", `${track.lane + 1} ${meta.lanes[track.lane]}`],
    ["track", track.label],
    clamped
      ? ["start", `${start} ns from the origin: too far away to be drawn there`]
      : ["start", `${exactNs(events.start[row] - events.first)} after the first event`],
    ["duration", clamped ? `${dur} ns` : exactNs(events.dur[row])],
    ...cutOff(trace, row),
    ["Unix time", `${begin} ns`],
    ["event id", String(events.id[row])],
    ...sourcePlace(trace.args(row) ?? ""),
  ];
  const list = h("dl", { class: "nbp-facts-of-event" });
  for (const [term, text] of facts) list.append(h("dt", {}, term), h("dd", {}, text));
  return h("div", { class: "nbp-details" }, list, argumentsOf(trace.args(row), asked));
}

function cutOff(trace: Trace, row: number): [term: string, text: string][] {
  return trace.isCutOff(row)
    ? [["end", "unknown: still running when the profile ended, so it lasted at least this long"]]
    : [];
}

function argumentsOf(args: string | null, asked: Asked): HTMLElement {
  if (args === null)
    return h("p", { class: "nbp-empty", role: asked === "absent" ? "note" : "status" }, ASKED[asked]);
  const label = { class: "nbp-args", tabindex: 0, role: "region", "aria-label": "Arguments" };
  return h("pre", label, readableJson(args));
}

/** Source file and line of an event, under the names that profilers write. */
function sourcePlace(text: string): [term: string, text: string][] {
  let args: unknown;
  try {
    args = JSON.parse(text);
  } catch {
    return [];
  }
  if (typeof args !== "object" || args === null) return [];
  const facts = args as Record<string, unknown>;
  const file = facts["source_file"] ?? facts["file"] ?? facts["filename"] ?? facts["Python file"];
  const line = facts["source_line"] ?? facts["line"] ?? facts["lineno"] ?? facts["Python line"];
  if (typeof file !== "string") return [];
  return [["source", line === undefined ? file : `${file}:${String(line)}`]];
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
