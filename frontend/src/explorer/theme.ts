import { DARK, LIGHT, type Theme } from "../core/colours.ts";

/** The theme around us: JupyterLab's when there is one, else what the reader's system prefers. */
export function currentTheme(): Theme {
  const lab = document.body.dataset.jpThemeLight;
  const dark = lab === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : lab === "false";
  return dark ? DARK : LIGHT;
}

/** Call `changed` whenever the theme may have changed; returns how to stop. */
export function watchTheme(changed: () => void): () => void {
  const preference = matchMedia("(prefers-color-scheme: dark)");
  const observer = new MutationObserver(changed);
  preference.addEventListener("change", changed);
  observer.observe(document.body, {
    attributes: true,
    attributeFilter: ["data-jp-theme-light", "data-jp-theme-name"],
  });
  return () => {
    preference.removeEventListener("change", changed);
    observer.disconnect();
  };
}
