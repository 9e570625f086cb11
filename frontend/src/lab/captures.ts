import { Poll } from "@lumino/polling";
import { Signal } from "@lumino/signaling";
import { NoServerPart, type Capture, type Listing, type Server } from "./server.ts";

const MILLISECONDS = 1000;

/** The captures that the server knows of, asked for again while somebody looks at the list. */
export class Captures {
  readonly changed = new Signal<this, void>(this);
  /** Told once: there is no server part. */
  readonly missing = new Signal<this, void>(this);
  readonly poll: Poll;
  readonly ticked = new Set<string>();
  listing: Listing | null = null;
  error: string | null = null;

  constructor(
    private readonly server: Server,
    watched: () => boolean,
  ) {
    this.poll = new Poll({
      factory: () => this.load(),
      frequency: { interval: 5 * MILLISECONDS, backoff: true, max: 60 * MILLISECONDS },
      // Asked once in any case: whether there is a server part, and of which version.
      standby: () => (watched() || !this.listing ? "when-hidden" : true),
      name: "neuron-nbprof:captures",
    });
  }

  set interval(seconds: number) {
    this.poll.frequency = { ...this.poll.frequency, interval: seconds * MILLISECONDS };
  }

  refresh(): void {
    void this.poll.refresh();
  }

  tick(path: string): void {
    if (!this.ticked.delete(path)) this.ticked.add(path);
    this.changed.emit();
  }

  private async load(): Promise<void> {
    try {
      const listing = await this.server.captures();
      if (!listing && !this.error) return;
      this.error = null;
      if (listing) this.take(listing);
    } catch (reason) {
      if (reason instanceof NoServerPart) {
        void this.poll.stop();
        this.missing.emit();
        return;
      }
      this.error = reason instanceof Error ? reason.message : String(reason);
      throw reason;
    } finally {
      this.changed.emit();
    }
  }

  private take(listing: Listing): void {
    this.listing = listing;
    const paths = new Set(listing.captures.map(({ path }) => path));
    for (const path of this.ticked) if (!paths.has(path)) this.ticked.delete(path);
  }
}

export interface Group {
  kind: "running" | "ended" | "found";
  captures: Capture[];
}

/** Captures whose name, path, device or notebook holds every word of the filter, by what became of their kernel. */
export function grouped(captures: Capture[], filter: string): Group[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = captures.filter((capture) => {
    const { name, path, device, notebook } = capture;
    const simulated = capture.simulated ? "simulated" : "";
    const text = [name, path, device, notebook ?? "", simulated].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const kind = (capture: Capture) => (capture.running ? "running" : capture.kernel ? "ended" : "found");
  const kinds = ["running", "ended", "found"] as const;
  return kinds.map((one) => ({ kind: one, captures: matching.filter((capture) => kind(capture) === one) }));
}
