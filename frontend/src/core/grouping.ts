import type { Group } from "./layout.ts";
import type { TrackInfo } from "./meta.ts";

export const GROUPINGS = ["lane", "NeuronCore", "process", "thread", "stream"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** What of a track's label or origin makes its group; tracks without it come last, together. */
const KEYS: Record<Exclude<Grouping, "lane">, (track: TrackInfo) => string | undefined> = {
  NeuronCore: ({ label }) => /\bNC:?(\d+)/.exec(label)?.[1],
  process: ({ instance, process }) => [instance, process].filter((part) => part).join(", ") || undefined,
  thread: ({ label }) => /\bTID:(\S+)/.exec(label)?.[1],
  stream: ({ label }) => /\bStream:(\S+)/.exec(label)?.[1],
};

/** The tracks of a trace in groups, in their own order; `lanes` are the titles of the lanes. */
export function group(by: Grouping, lanes: string[], tracks: TrackInfo[]): Group[] {
  const all = tracks.map((_, index) => index);
  if (by === "lane") {
    const found = lanes.map((title, lane) => ({
      title,
      number: lane + 1,
      tracks: all.filter((index) => tracks[index].lane === lane),
    }));
    const rest = all.filter((index) => tracks[index].lane >= lanes.length);
    return rest.length ? [...found, { title: "Counters", tracks: rest }] : found;
  }
  const found = new Map<string, number[]>();
  for (const index of all) {
    const key = KEYS[by](tracks[index]);
    const title = key === undefined ? "Other tracks" : `${by[0].toUpperCase()}${by.slice(1)} ${key}`;
    found.set(title, [...(found.get(title) ?? []), index]);
  }
  const groups = [...found].map(([title, members]) => ({ title, tracks: members }));
  return [
    ...groups.filter(({ title }) => title !== "Other tracks"),
    ...groups.filter(({ title }) => title === "Other tracks"),
  ];
}
