import type { Chain, Line, Station } from "../core/chain.ts";
import { readableJson } from "../core/json.ts";
import { waitWords } from "../core/meanwhile.ts";
import { CHAIN, SELECT, type ChainReport, type ReportLine, type ReportStation } from "../core/report.ts";
import type { Trace } from "../core/trace.ts";
import { ruleText } from "../core/waiting.ts";

/** Chains of more submissions than this are told in part. */
const MOST_LINES = 200;

/** Tell whoever is around `root` what is selected in it. */
export function tellSelection(root: HTMLElement, trace: Trace, chain: Chain | null, ordinal: string): void {
  const detail = chainReport(trace, chain, ordinal);
  root.dispatchEvent(new CustomEvent(CHAIN, { detail, bubbles: true, composed: true }));
}

/** Call `select` with the id of the event that whoever is around `root` asks for. */
export function listenToHost(root: HTMLElement, select: (id: number) => void): void {
  root.addEventListener(SELECT, (event) => {
    const id: unknown = (event as CustomEvent).detail;
    if (Number.isSafeInteger(id)) select(id as number);
  });
}

export function chainReport(trace: Trace, chain: Chain | null, ordinal: string): ChainReport {
  const { title, simulated } = trace.meta;
  if (!chain) return { type: CHAIN, title, simulated, selected: null };
  const { event, lines } = chain;
  const selected = {
    id: trace.events.id[event],
    name: trace.name(event),
    ordinal,
    args: readableJson(trace.args(event) ?? ""),
    lines: lines.slice(0, MOST_LINES).map((line) => reportLine(trace, line)),
    truncated: chain.truncated || lines.length > MOST_LINES,
  };
  return { type: CHAIN, title, simulated, selected };
}

function reportLine(trace: Trace, line: Line): ReportLine {
  const waits = line.waits.map((wait, i) => {
    const { text, busyWith, cores } = waitWords(trace, line, i + 1);
    const split = cores?.executions ? { busy: cores.busy, idle: cores.idle, with: busyWith } : null;
    return { text, rule: ruleText(wait, trace.meta.rules), ns: wait.ns, cores: split };
  });
  const { stream } = line;
  return {
    stations: line.stations.map((station) => reportStation(trace, station)),
    waits,
    stream: stream === null ? null : reportStation(trace, seen(trace, stream)),
    total: line.total,
  };
}

function seen(trace: Trace, row: number): Station {
  const { start } = trace.events;
  return { lane: trace.lane(row), rows: [row], start: start[row], end: trace.events.end(row) };
}

function reportStation(trace: Trace, { lane, rows, start, end }: Station): ReportStation {
  const labels = [...new Set(rows.map((row) => trace.track(row).label))];
  const more = labels.length > 3 ? ` and ${labels.length - 3} more` : "";
  return {
    id: trace.events.id[rows[0]],
    name: trace.name(rows[0]),
    where: `${lane + 1} ${trace.meta.lanes[lane]} · ${labels.slice(0, 3).join(", ")}${more}`,
    duration: end - start,
  };
}
