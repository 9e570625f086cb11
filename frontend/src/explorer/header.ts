import type { Meta } from "../core/meta.ts";
import { decimal, duration } from "../core/time.ts";
import { button, h } from "./dom.ts";
import { HELP, type Action } from "./keys.ts";

export interface Header {
  element: HTMLElement;
  /** Show or hide the list of keys. */
  help(): void;
  /** Hide it; whether it was there. */
  closeHelp(): boolean;
  measuring(on: boolean): void;
  turns(back: boolean, forward: boolean): void;
}

/** Title, what it was made with, the headline numbers, and the buttons for time. */
export function header(meta: Meta, act: (action: Action) => void): Header {
  const list = h(
    "dl",
    { class: "nbp-help", hidden: true },
    ...HELP.flatMap(([keys, what]) => [h("dt", {}, keys), h("dd", {}, what)]),
  );
  const help = () => {
    list.hidden = !list.hidden;
    toggle.setAttribute("aria-expanded", String(!list.hidden));
  };
  const toggle = button("Keys and gestures (?)", "?", help);
  toggle.setAttribute("aria-expanded", "false");
  const measure = button("Measure a span (M)", "Measure", () => act("measure"));
  measure.setAttribute("aria-pressed", "false");
  const back = button("Back to the view before (Backspace)", "←", () => act("back"));
  const forward = button("Forward again (Shift + Backspace)", "→", () => act("forward"));
  const buttons = h(
    "div",
    { class: "nbp-buttons", role: "group", "aria-label": "Time" },
    button("Search (/)", "/ Search", () => act("search")),
    measure,
    back,
    forward,
    button("Zoom out (S)", "−", () => act("zoomOut")),
    button("Zoom in (W)", "+", () => act("zoomIn")),
    button("Whole: show everything (0)", "Whole", () => act("whole")),
    button("Chain: zoom to it (F)", "Chain", () => act("focus")),
    toggle,
  );
  const title = h("h2", {}, h("bdi", {}, meta.title));
  return {
    element: h("header", { class: "nbp-header" }, title, badge(meta), facts(meta), buttons, list),
    help,
    closeHelp: () => {
      if (list.hidden) return false;
      help();
      return true;
    },
    measuring: (on) => measure.setAttribute("aria-pressed", String(on)),
    turns: (canGoBack, canGoForward) => {
      // Not `disabled`, which would lose the focus of who has just gone back to the first view.
      back.setAttribute("aria-disabled", String(!canGoBack));
      forward.setAttribute("aria-disabled", String(!canGoForward));
    },
  };
}

function badge(meta: Meta): HTMLElement | null {
  const device = meta.device.replace(/^SIMULATED[\s·,]*/, "");
  if (!meta.simulated) return device ? h("span", { class: "nbp-device" }, device) : null;
  const parts = ["SIMULATED", ...device.split(/,\s*/)].filter((part) => part);
  return h(
    "span",
    { class: "nbp-badge", title: "Made by the simulated device: its times are modelled, not measured." },
    parts.join(" · "),
  );
}

function facts(meta: Meta): HTMLElement {
  const { device_ns, host_ns, copy_ns, synchronize_ns, executions, busy_share } = meta.summary;
  const found: [value: string, what: string][] = [];
  if (executions) found.push([duration(device_ns), "on the device"]);
  const copies = copy_ns ? ` + ${duration(copy_ns)} in copies` : "";
  const waiting = synchronize_ns ? ` + ${duration(synchronize_ns)} synchronise` : "";
  if (host_ns || copies || waiting) found.push([duration(host_ns), `host${copies}${waiting}`]);
  if (executions) found.push([decimal(executions), executions === 1 ? "execution" : "executions"]);
  if (busy_share !== null) found.push([`${decimal(100 * busy_share)} %`, "busy, first to last"]);
  const list = found.map(([value, what]) => h("li", {}, h("b", {}, value), ` ${what}`));
  return h("ul", { class: "nbp-facts" }, ...list);
}
