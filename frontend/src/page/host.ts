import { CHAIN, READY, SELECT, THEME } from "../core/report.ts";

/**
 * The page within a frame, such as a tab of JupyterLab: the frame has no origin, so messages are all that passes
 * between the two. Only the window around may ask.
 */
export function connectHost(root: HTMLElement): void {
  if (parent === window) return;
  root.addEventListener(CHAIN, (event) => parent.postMessage((event as CustomEvent).detail, "*"));
  addEventListener("message", (message) => {
    if (message.source !== parent) return;
    const { type, id, dark } = message.data ?? {};
    if (type === SELECT) root.dispatchEvent(new CustomEvent(SELECT, { detail: id }));
    if (type === THEME) takeTheme(dark === true);
  });
  parent.postMessage({ type: READY }, "*");
}

/** As JupyterLab marks its own page, which is what the explorer looks at. */
function takeTheme(dark: boolean): void {
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
  document.body.dataset.jpThemeLight = String(!dark);
}
