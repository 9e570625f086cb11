import { CHAIN, COPY, INSPECTED, isView, KEY, READY, SELECT, THEME, VIEW, type Key } from "../core/report.ts";
import type { View } from "./address.ts";

/**
 * The page within a frame, such as a tab of JupyterLab: the frame has no origin, so messages are all that passes
 * between the two. Only the window around may ask.
 */
export function connectHost(root: HTMLElement, view: View): void {
  if (parent === window) return;
  // The explorer that told last is the one that is asked.
  let teller: EventTarget = root;
  root.addEventListener(CHAIN, (event) => {
    teller = event.target ?? root;
    parent.postMessage((event as CustomEvent).detail, "*");
  });
  view.onChange((text) => parent.postMessage({ type: VIEW, view: text }, "*"));
  addEventListener("message", (message) => {
    if (message.source !== parent) return;
    const { type, id, dark, shown, view: text } = message.data ?? {};
    if (type === SELECT) teller.dispatchEvent(new CustomEvent(SELECT, { detail: id }));
    if (type === VIEW && isView(text)) view.open(text);
    if (type === INSPECTED) root.classList.toggle("nbp-inspected", shown === true);
    if (type === THEME) takeTheme(dark === true);
  });
  addEventListener("keydown", tellShortcut);
  copyThroughHost();
  parent.postMessage({ type: READY }, "*");
}

let wanted = false;

function takeTheme(dark: boolean): void {
  wanted = dark;
  applyTheme();
}

/** Mark this page as JupyterLab marks its own, which is what the explorer looks at. */
function applyTheme(): void {
  // JupyterLab hides everything while it changes its theme, and what is hidden cannot be drawn.
  if (!document.body.offsetWidth) {
    requestAnimationFrame(applyTheme);
    return;
  }
  document.documentElement.style.colorScheme = wanted ? "dark" : "light";
  document.body.dataset.jpThemeLight = String(!wanted);
}

/** Keys pressed here do not reach the page around; Ctrl with a letter alone is the browser's, as in Ctrl+C. */
function tellShortcut(event: KeyboardEvent): void {
  const { key, code, keyCode, ctrlKey, altKey, shiftKey, metaKey } = event;
  if (!altKey && !(shiftKey && (ctrlKey || metaKey))) return;
  const told: Key = { key, code, keyCode, ctrlKey, altKey, shiftKey, metaKey };
  parent.postMessage({ type: KEY, ...told }, "*");
}

/** Whatever copies here asks the clipboard for it, which a frame without an origin may not use. */
function copyThroughHost(): void {
  const writeText = async (text: string) => parent.postMessage({ type: COPY, text }, "*");
  Object.defineProperty(navigator, "clipboard", { value: { writeText } });
}
