import { h } from "./dom.ts";

let instances = 0;

/** Tabs as the ARIA practices describe them: arrow keys move, one tab stop. */
export class Tabs {
  readonly element: HTMLElement;
  /** Called with the title of a tab that is opened. */
  onOpen: (title: string) => void = () => undefined;
  private readonly tabs: HTMLButtonElement[];
  private readonly panels: HTMLElement[];

  constructor(
    private readonly entries: [title: string, content: HTMLElement][],
    closed = false,
  ) {
    const prefix = `nbp-tabs-${++instances}`;
    this.tabs = entries.map(([title], i) =>
      h(
        "button",
        { type: "button", role: "tab", id: `${prefix}-tab-${i}`, "aria-controls": `${prefix}-${i}` },
        title,
      ),
    );
    this.panels = entries.map(([, content], i) =>
      h("div", { role: "tabpanel", id: `${prefix}-${i}`, "aria-labelledby": `${prefix}-tab-${i}` }, content),
    );
    const list = h("div", { role: "tablist", class: "nbp-tablist", "aria-label": "Details" }, ...this.tabs);
    this.tabs.forEach((tab, i) => tab.addEventListener("click", () => this.open(i)));
    list.addEventListener("keydown", (event) => this.key(event));
    this.element = h("div", { class: "nbp-tabs" }, list, ...this.panels);
    this.open(closed ? -1 : 0);
  }

  /** Give the tab whose title begins so another one that begins so. */
  rename(title: string, to: string): void {
    this.tabs[this.at(title)].textContent = to;
  }

  /** Open the tab whose title begins so. */
  show(title: string): void {
    this.open(this.at(title));
  }

  private at(title: string): number {
    return this.entries.findIndex(([other]) => other.startsWith(title));
  }

  private open(index: number): void {
    this.tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(i === index));
      tab.tabIndex = i === Math.max(0, index) ? 0 : -1;
      this.panels[i].hidden = i !== index;
    });
    if (index >= 0) this.onOpen(this.entries[index][0]);
  }

  private key(event: KeyboardEvent): void {
    const from = this.tabs.indexOf(event.target as HTMLButtonElement);
    const { length } = this.tabs;
    const places: Record<string, number> = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: -1 };
    const place = places[event.key];
    if (from < 0 || place === undefined) return;
    const to = (place + length) % length;
    this.open(to);
    this.tabs[to].focus();
    event.preventDefault();
  }
}
