import { CHAIN } from "../core/report.ts";
import type { Explorer } from "../explorer/explorer.ts";

const SETTLE_MS = 250;
/** An arrangement of tracks from which nothing differs. */
const USUAL = "{}";

/**
 * How a page is looked at, as the fragment of an address: what is selected and how tracks are arranged in each of its
 * explorers, and the span of the first one, which those beside it follow.
 */
export class View {
  constructor(
    private readonly root: HTMLElement,
    private readonly explorers: readonly Explorer[],
  ) {}

  get text(): string {
    const selected = this.explorers.map((explorer) => `event=${explorer.selected ?? ""}`);
    const { x0, x1 } = this.explorers[0].span;
    const some = this.explorers.some((explorer) => explorer.selected !== null);
    const states = this.explorers.map(({ arrangement }) => JSON.stringify(arrangement));
    const tracks = states.some((state) => state !== USUAL) ? states : [];
    return [
      ...(some ? selected : []),
      `ns=${Math.round(x0)}..${Math.round(x1)}`,
      ...tracks.map((state) => `tracks=${encodeURIComponent(state)}`),
    ].join("&");
  }

  open(text: string): void {
    const wanted = new URLSearchParams(text);
    wanted.getAll("event").forEach((event, i) => {
      if (/^\d+$/.test(event)) this.explorers[i]?.select(Number(event));
    });
    const tracks = wanted.getAll("tracks");
    this.explorers.forEach((explorer, i) => explorer.takeArrangement(parsed(tracks[i] ?? USUAL)));
    const span = /^(-?\d+)\.\.(-?\d+)$/.exec(wanted.get("ns") ?? "");
    if (span && Number(span[1]) < Number(span[2]))
      this.explorers[0].showSpan(Number(span[1]), Number(span[2]));
  }

  /** Call `keep` with the view whenever it has changed and stands still. */
  onChange(keep: (text: string) => void): void {
    let settling: ReturnType<typeof setTimeout> | undefined;
    const changed = () => {
      clearTimeout(settling);
      settling = setTimeout(() => keep(this.text), SETTLE_MS);
    };
    this.root.addEventListener(CHAIN, changed);
    for (const explorer of this.explorers) {
      explorer.timeline.viewport.onChange(changed);
      explorer.onArrange = changed;
    }
  }
}

/** Keep the view in the fragment of the page's address, so that a link opens where its author stood. */
export function keepAddress(view: View): void {
  const open = () => view.open(location.hash.slice(1));
  open();
  addEventListener("hashchange", open);
  view.onChange((text) => {
    try {
      history.replaceState(null, "", `#${text}`);
    } catch {
      // A page inside another one has no address to keep.
    }
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
