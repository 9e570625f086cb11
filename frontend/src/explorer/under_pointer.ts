import { density, densityText } from "../core/density.ts";
import { hit } from "../core/hit.ts";
import type { Layout } from "../core/layout.ts";
import { duration } from "../core/time.ts";
import type { Trace } from "../core/trace.ts";
import type { Viewport } from "../core/viewport.ts";
import type { Counters } from "./counters.ts";
import { scaleOf } from "./dom.ts";

/** Pixels around the pointer in which an event counts as hit. */
const SLOP = 4;

/** What the timeline draws, and where. */
interface Drawn {
  layout: Layout;
  viewport: Viewport;
  surface: HTMLElement;
  counters: Counters | null;
  /** Pixels by which the lanes are scrolled. */
  scrolled: () => number;
}

/** What lies under a point of the window. */
export class UnderPointer {
  constructor(
    private readonly trace: Trace,
    private readonly drawn: Drawn,
    private readonly origin: () => number,
  ) {}

  /** ns from the origin of the trace. */
  time(clientX: number): number {
    const { surface, viewport } = this.drawn;
    const box = surface.getBoundingClientRect();
    return viewport.x0 + ((clientX - box.left) / box.width) * viewport.span;
  }

  /** The event, or the next one within a few pixels, or null. */
  event(clientX: number, clientY: number): number | null {
    const row = this.drawn.layout.rowAt(this.height(clientY));
    if (row < 0) return null;
    const event = hit(this.trace.events, row, this.time(clientX), SLOP * this.perPixel);
    return event < 0 ? null : event;
  }

  /** Lines about this event, or without one about the counter, or null. */
  lines(event: number | null, clientX: number, clientY: number): string[] | null {
    if (event !== null) return this.about(event);
    return this.drawn.counters?.about(this.height(clientY), this.time(clientX)) ?? null;
  }

  /** Pixels below the top of the lanes, wherever they are scrolled to. */
  private height(clientY: number): number {
    const { surface, scrolled } = this.drawn;
    return (clientY - surface.getBoundingClientRect().top) / scaleOf(surface) + scrolled();
  }

  private get perPixel(): number {
    return this.drawn.viewport.span / this.drawn.surface.offsetWidth;
  }

  /** An event, or all that begin within its pixel. */
  private about(event: number): string[] {
    const { trace, perPixel } = this;
    const { events } = trace;
    const start = events.start[event];
    if (events.dur[event] < perPixel) {
      const found = density(trace, events.rowOf(event), start - perPixel / 2, start + perPixel / 2);
      if (found.events > 1)
        return [...densityText(found), trace.track(event).label, "zoom in to take them apart"];
    }
    const length = events.dur[event] ? duration(events.dur[event]) : "no duration";
    const cutOff = trace.isCutOff(event) ? ["still running when the profile ended"] : [];
    return [
      trace.name(event),
      `${length}, begins at ${duration(start - this.origin())}`,
      trace.track(event).label,
      ...cutOff,
    ];
  }
}
