import type { Explorer } from "../explorer/explorer.ts";

const SETTLE_MS = 250;

/** Keep selection and span in the fragment of the page's address, so that a link opens where its author stood. */
export function keepAddress(explorer: Explorer): void {
  const open = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const event = /^\d+$/.exec(wanted.get("event") ?? "");
    if (event) explorer.select(Number(event[0]));
    const span = /^(-?\d+)\.\.(-?\d+)$/.exec(wanted.get("ns") ?? "");
    if (span && Number(span[1]) < Number(span[2])) explorer.showSpan(Number(span[1]), Number(span[2]));
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
