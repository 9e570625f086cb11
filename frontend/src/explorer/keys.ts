export type Action =
  "zoomIn" | "zoomOut" | "left" | "right" | "up" | "down" | "whole" | "focus" | "clear" | "next" | "previous";

const ANYWHERE: Record<string, Action> = {
  w: "zoomIn",
  s: "zoomOut",
  a: "left",
  d: "right",
  "0": "whole",
  f: "focus",
  n: "next",
  p: "previous",
  escape: "clear",
};
const ON_TIMELINE: Record<string, Action> = {
  arrowleft: "left",
  arrowright: "right",
  arrowup: "up",
  arrowdown: "down",
  home: "whole",
  "+": "zoomIn",
  "-": "zoomOut",
};

export const HELP: [keys: string, what: string][] = [
  ["drag, A D, ← →", "move in time"],
  ["Ctrl + wheel, W S, + −", "zoom"],
  ["0, Home", "show everything"],
  ["click", "follow the chain of an event"],
  ["F, double click", "zoom to the chain"],
  ["N P", "next and previous call of the same name"],
  ["Esc", "clear the selection"],
];

/**
 * Keys of the explorer. Plain keys never reach the notebook around it, where a D pressed twice deletes a cell; those
 * with Ctrl, Alt or ⌘ are left alone.
 */
export function listenToKeys(root: HTMLElement, surface: HTMLElement, act: (action: Action) => void): void {
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation();
    const key = event.key.toLowerCase();
    const action = ANYWHERE[key] ?? (event.target === surface ? ON_TIMELINE[key] : undefined);
    if (!action) return;
    event.preventDefault();
    act(action);
  });
}
