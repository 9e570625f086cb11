import { h } from "./dom.ts";

/** A box beside the pointer. */
export class Tooltip {
  readonly element = h("div", { class: "nbp-tooltip", role: "tooltip", hidden: true });

  /** Show lines of text near a point of the explorer, the first one as its title. */
  show(lines: string[], x: number, y: number): void {
    this.element.replaceChildren(...lines.map((line, i) => h(i ? "div" : "b", {}, line)));
    this.element.hidden = false;
    const around = (this.element.offsetParent as HTMLElement | null) ?? this.element;
    const left =
      x + 14 + this.element.offsetWidth > around.clientWidth ? x - 14 - this.element.offsetWidth : x + 14;
    this.element.style.left = `${Math.max(4, left)}px`;
    this.element.style.top = `${y + 16}px`;
  }

  hide(): void {
    this.element.hidden = true;
  }
}
