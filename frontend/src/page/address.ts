import type { Explorer } from "../explorer/explorer.ts";

const SETTLE_MS = 250;

/** Keep selection and span in the fragment of the page's address, so that a link opens where its author stood. */
export function keepAddress(explorer: Explorer): void {
  const open = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const event = Number(wanted.get("event") ?? NaN);
    if (Number.isInteger(event)) explorer.select(event);
    const [from, to] = (wanted.get("ns") ?? "").split("..").map(Number);
    if (from < to) explorer.showSpan(from, to);
  };
  let settling: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    clearTimeout(settling);
    settling = setTimeout(() => {
      const { x0, x1 } = explorer.span;
      const event = explorer.selected === null ? "" : `event=${explorer.selected}&`;
      try {
        history.replaceState(null, "", `#${event}ns=${Math.round(x0)}..${Math.round(x1)}`);
      } catch {
        // A page inside another one has no address to keep.
      }
    }, SETTLE_MS);
  };
  open();
  addEventListener("hashchange", open);
  explorer.onMove = write;
  explorer.onSelect = write;
}
