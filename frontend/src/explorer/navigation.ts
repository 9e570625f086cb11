import type { Chain } from "../core/chain.ts";
import type { Trace } from "../core/trace.ts";
import type { Header } from "./header.ts";
import type { Timeline } from "./timeline.ts";

const ZOOM = 1.5;
const STEP = 0.15;
const SCROLL = 44;

/** Moves through the timeline by key and button: along time, up and down, and back to earlier views. */
export class Navigation {
  readonly actions = {
    zoomIn: () => this.viewport.zoom(1 / ZOOM, this.middle()),
    zoomOut: () => this.viewport.zoom(ZOOM, this.middle()),
    left: () => this.viewport.pan(-STEP),
    right: () => this.viewport.pan(STEP),
    up: () => this.timeline.scroll(-SCROLL),
    down: () => this.timeline.scroll(SCROLL),
    whole: () => this.viewport.whole(),
    focus: () => this.focus(),
    back: () => this.turn("back"),
    forward: () => this.turn("forward"),
  };
  private chain: Chain | null = null;

  constructor(
    private readonly trace: Trace,
    private readonly timeline: Timeline,
    private readonly header: Header,
  ) {
    this.begin();
  }

  /** From here on there are no earlier views. */
  begin(): void {
    this.header.turns(false, false);
  }

  /** What the moves are about. */
  select(chain: Chain | null): void {
    this.chain = chain;
  }

  /** Show all of the selected chain. */
  focus(): void {
    const stations = this.chain?.lines.flatMap((line) => line.stations) ?? [];
    if (!stations.length) return;
    const start = stations.reduce((first, station) => Math.min(first, station.start), Infinity);
    const end = stations.reduce((last, station) => Math.max(last, station.end), -Infinity);
    this.viewport.focus(start, end);
  }

  /** The view has changed, and the one before it can be had again. */
  moved(): void {
    this.header.turns(true, this.timeline.history.canGoForward);
  }

  private get viewport(): Timeline["viewport"] {
    return this.timeline.viewport;
  }

  private turn(by: "back" | "forward"): void {
    this.timeline.turn(by);
    const { canGoBack, canGoForward } = this.timeline.history;
    this.header.turns(canGoBack, canGoForward);
  }

  /** Zoom by key keeps the selected event in place when it can be seen, else the middle. */
  private middle(): number | undefined {
    if (this.chain === null) return undefined;
    const { events } = this.trace;
    const { x0, x1 } = this.viewport;
    const at = events.start[this.chain.event] + events.dur[this.chain.event] / 2;
    return at > x0 && at < x1 ? at : undefined;
  }
}
