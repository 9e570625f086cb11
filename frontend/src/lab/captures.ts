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
  /** Paths of what had been opened when this page was loaded, the last one last: no row moves by being opened. */
  recent: string[] = [];
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
  kind: "running" | "recent" | "ended" | "found";
  captures: Capture[];
}

/** So many captures are seen at a glance: what was opened last is listed apart when there are more. */
const FEW = 12;
const MOST_RECENT = 5;

/** Captures that match the filter, by what became of their kernel; those opened last are listed once more. */
export function grouped(captures: Capture[], filter: string, recent: string[] = []): Group[] {
  const found = matching(captures, filter);
  const kind = (capture: Capture) => (capture.running ? "running" : capture.kernel ? "ended" : "found");
  const of = (wanted: string) => found.filter((capture) => kind(capture) === wanted);
  return [
    { kind: "running", captures: of("running") },
    { kind: "recent", captures: found.length > FEW ? lastOpened(found, recent) : [] },
    { kind: "ended", captures: of("ended") },
    { kind: "found", captures: of("found") },
  ];
}

function lastOpened(captures: Capture[], recent: string[]): Capture[] {
  const known = new Map(captures.map((capture) => [capture.path, capture]));
  const opened = [...recent].reverse().flatMap((path) => known.get(path) ?? []);
  return opened.slice(0, MOST_RECENT);
}

/** Captures whose name, path, device or notebook holds every word of the filter. */
export function matching(captures: Capture[], filter: string): Capture[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return captures.filter((capture) => {
    const { name, path, device, notebook } = capture;
    const simulated = capture.simulated ? "simulated" : "";
    const text = [name, path, device, notebook ?? "", simulated].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
