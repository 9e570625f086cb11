export type Interval = [start: number, end: number];

/** Time that the intervals cover, however they overlap. Sorts them. */
export function unionLength(intervals: Interval[]): number {
  intervals.sort((a, b) => a[0] - b[0]);
  let length = 0;
  let reached = -Infinity;
  for (const [start, end] of intervals) {
    if (end <= reached) continue;
    length += end - Math.max(start, reached);
    reached = end;
  }
  return length;
}
