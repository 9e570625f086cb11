import { h } from "./dom.ts";

type Content = string | HTMLElement | null;

/** A table whose first column names the rows; where it is too wide it scrolls by itself. */
export function table(caption: string | HTMLElement, heads: string[], rows: HTMLElement[]): HTMLElement {
  const head = h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text)));
  const element = h(
    "table",
    { class: "nbp-table" },
    h("caption", {}, h("div", {}, caption)),
    h("thead", {}, head),
  );
  element.append(h("tbody", {}, ...rows));
  return h("div", { class: "nbp-scrolled" }, element);
}

export function row(name: Content, ...cells: Content[]): HTMLElement {
  return h("tr", {}, h("th", { scope: "row" }, name), ...cells.map((cell) => h("td", {}, cell)));
}

/** A row that can be pressed anywhere; its name is the button. */
export function pressable(press: () => void, name: string, ...cells: Content[]): HTMLElement {
  const element = row(h("button", { type: "button" }, name), ...cells);
  element.addEventListener("click", press);
  return element;
}
