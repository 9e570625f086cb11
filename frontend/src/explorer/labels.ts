const FONT = "bold 11px system-ui, 'DejaVu Sans', sans-serif";
export const PADDING = 5;

/** Cuts texts to the width of their bars; widths are measured once for each text. */
export class TextFitter {
  private readonly context = document.createElement("canvas").getContext("2d")!;
  private readonly widths = new Map<string, number>();

  constructor() {
    this.context.font = FONT;
  }

  /** As much of a text as fits, or "" when that would say nothing. */
  fit(text: string, width: number): string {
    const room = width - 2 * PADDING;
    if (this.width(text) <= room) return text;
    let low = 0;
    let high = text.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.width(`${text.slice(0, middle)}…`) <= room) low = middle;
      else high = middle;
    }
    return low < 3 ? "" : `${text.slice(0, low)}…`;
  }

  private width(text: string): number {
    let width = this.widths.get(text);
    if (width === undefined) {
      width = this.context.measureText(text).width;
      if (this.widths.size > 20_000) this.widths.clear();
      this.widths.set(text, width);
    }
    return width;
  }
}
