import { h } from "./dom.ts";

/** A sentence in place of what is not there. */
export function empty(sentence: string): HTMLElement {
  return h("p", { class: "nbp-empty" }, sentence);
}

/** Where an answer will be shown, with a sentence until it has come. */
export function waiting(): HTMLElement {
  const sentence =
    "Being worked out by the kernel. Without a running kernel a page answers: profile.to_html(path) writes one.";
  return h("div", { "aria-live": "polite" }, empty(sentence));
}
