import type { Chain } from "./chain.ts";
import { duration } from "./time.ts";
import type { Trace } from "./trace.ts";

/** A selection in a few words, for those who hear it. */
export function spoken(trace: Trace, chain: Chain | null, ordinal: string): string {
  if (!chain) return "Selection cleared";
  const { event, lines } = chain;
  const stations = lines[0]?.stations.length ?? 0;
  const many = stations === 1 ? "1 station" : `${stations} stations`;
  const total = lines.length === 1 ? `${many}, ${duration(lines[0].total)}` : `${lines.length} executions`;
  return `${trace.name(event)}, ${ordinal}: ${total}`;
}
