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
  const name = typeof caption === "string" ? caption : caption.textContent;
  const around = h("div", { class: "nbp-scrolled" }, element);
  // Keys scroll it only where it can have the focus; where nothing is cut off it would be one more stop.
  const stop = { tabindex: "0", role: "region", "aria-label": name };
  new ResizeObserver(() => {
    const cut = element.offsetWidth > around.clientWidth;
    for (const [key, value] of Object.entries(stop)) {
      if (cut) around.setAttribute(key, value);
      else around.removeAttribute(key);
    }
  }).observe(around);
  return around;
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
