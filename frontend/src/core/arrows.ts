/** A point in pixels. */
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Curve {
  x0: number;
  y0: number;
  cx0: number;
  cy0: number;
  cx1: number;
  cy1: number;
  x1: number;
  y1: number;
  /** Direction of the head in radians, counter-clockwise from pointing right. */
  angle: number;
}

const HEAD = 5;

/**
 * A curve from one bar to another, in pixels. It leaves to the right and arrives from the left; where the target
 * begins before the source ends it leaves through the bottom (or top) and arrives from above (or below).
 */
export function arrow(from: Box, to: Box): Curve {
  const y0 = (from.top + from.bottom) / 2;
  const y1 = (to.top + to.bottom) / 2;
  const room = to.left - from.right;
  if (room >= 2 * HEAD) {
    const bend = Math.max(18, room / 2);
    const x1 = to.left - HEAD;
    return { x0: from.right, y0, cx0: from.right + bend, cy0: y0, cx1: x1 - bend, cy1: y1, x1, y1, angle: 0 };
  }
  const down = y1 >= y0 ? 1 : -1;
  const x0 = Math.min(Math.max(to.left, from.left), from.right);
  const x1 = Math.min(Math.max(x0, to.left + Math.min(3, (to.right - to.left) / 2)), to.right);
  const leave = down > 0 ? from.bottom : from.top;
  const arrive = (down > 0 ? to.top : to.bottom) - down * HEAD;
  const bend = Math.max(8, Math.abs(arrive - leave) / 2) * down;
  const angle = (-down * Math.PI) / 2;
  return { x0, y0: leave, cx0: x0, cy0: leave + bend, cx1: x1, cy1: arrive - bend, x1, y1: arrive, angle };
}
