import { h, scaleOf } from "./dom.ts";

const LONGEST = 300;

/** A box beside the pointer. */
export class Tooltip {
  readonly element = h("div", { class: "nbp-tooltip", role: "tooltip", hidden: true });

  /** Show lines of text near a point of the explorer, the first one as its title. */
  show(lines: string[], x: number, y: number): void {
    this.element.replaceChildren(...lines.map((line, i) => h(i ? "div" : "b", {}, short(line))));
    this.element.hidden = false;
    const around = (this.element.offsetParent as HTMLElement | null) ?? this.element;
    const left =
      x + 14 + this.element.offsetWidth > around.clientWidth ? x - 14 - this.element.offsetWidth : x + 14;
    this.element.style.left = `${Math.max(4, left)}px`;
    this.element.style.top = `${y + 16}px`;
  }

  /** The same for a point of the window. */
  showIn(root: HTMLElement, lines: string[], clientX: number, clientY: number): void {
    const box = root.getBoundingClientRect();
    const scale = scaleOf(root);
    this.show(lines, (clientX - box.left) / scale, (clientY - box.top) / scale);
  }

  hide(): void {
    this.element.hidden = true;
  }
}

/** Names may be thousands of characters long; a tooltip shows how they begin, the Event tab all of them. */
function short(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
