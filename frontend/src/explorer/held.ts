import { decimal } from "../core/time.ts";
import type { Held } from "../core/graphs.ts";
import { h } from "./dom.ts";

/** The operators of a compiled graph, as a list that can be closed. */
export function heldList({ names, operators, recorded }: Held): HTMLElement {
  const calls = operators.reduce((sum, [, count]) => sum + count, 0);
  const more = names > operators.length ? ` and ${decimal(names - operators.length)} more names` : "";
  const many = calls === 1 ? "operator" : "operators";
  const title = recorded
    ? `Compiled from ${decimal(calls)} ${many}${more}`
    : `Calls ${decimal(calls)} ${many}${more}`;
  const items = operators.map(([name, count]) =>
    h("li", {}, count > 1 ? `${decimal(count)} × ` : null, h("bdi", {}, name)),
  );
  return h(
    "details",
    { class: "nbp-held", open: operators.length <= 12 },
    h("summary", {}, title),
    h("ul", {}, ...items),
  );
}
