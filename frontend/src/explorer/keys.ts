export type Action =
  | "zoomIn"
  | "zoomOut"
  | "left"
  | "right"
  | "up"
  | "down"
  | "whole"
  | "focus"
  | "clear"
  | "next"
  | "previous"
  | "along"
  | "against"
  | "search"
  | "nextHit"
  | "previousHit"
  | "help"
  | "measure"
  | "mark"
  | "back"
  | "forward";

const ANYWHERE: Record<string, Action> = {
  w: "zoomIn",
  s: "zoomOut",
  a: "left",
  d: "right",
  "0": "whole",
  f: "focus",
  ".": "next",
  n: "next",
  ",": "previous",
  p: "previous",
  "]": "along",
  "[": "against",
  "/": "search",
  g: "nextHit",
  "shift+g": "previousHit",
  m: "measure",
  "?": "help",
  backspace: "back",
  "shift+backspace": "forward",
  escape: "clear",
};
const ON_TIMELINE: Record<string, Action> = {
  arrowleft: "left",
  arrowright: "right",
  arrowup: "up",
  arrowdown: "down",
  home: "whole",
  enter: "mark",
  "+": "zoomIn",
  "-": "zoomOut",
};

export const HELP: [keys: string, what: string][] = [
  ["drag, A D, ← →", "move in time"],
  ["Ctrl + wheel, pinch, W S, + −", "zoom"],
  ["Shift + drag", "zoom to a span"],
  ["0, Home", "show everything"],
  ["Backspace, Shift + Backspace", "back to the view before, and forward"],
  ["click", "follow the chain of an event"],
  ["F, double click", "zoom to the chain"],
  ["[ ]", "back and on along the chain"],
  [", .", "previous and next event of the same name"],
  ["/", "search"],
  ["G, Shift + G", "next and previous found event"],
  ["M, then drag or click twice", "measure a span"],
  ["M, then Enter", "measure the selected event, or what is in view"],
  ["Esc", "leave a field or a mode, clear the selection"],
  ["?", "this list"],
];

/**
 * Keys of the explorer. Plain keys never reach the notebook around it, where a D pressed twice deletes a cell; those
 * with Ctrl, Alt or ⌘ are left alone, and a field keeps all its keys but Escape.
 */
export function listenToKeys(root: HTMLElement, surface: HTMLElement, act: (action: Action) => void): void {
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation();
    const key = event.key.toLowerCase();
    if (isField(event.target)) {
      if (key !== "escape") return;
      // Left alone, Chromium would empty a search field and tell nobody.
      event.preventDefault();
      surface.focus();
      return;
    }
    const shifted = event.shiftKey && ANYWHERE[`shift+${key}`];
    const action = shifted || (ANYWHERE[key] ?? (event.target === surface ? ON_TIMELINE[key] : undefined));
    if (!action) return;
    event.preventDefault();
    act(action);
  });
}

function isField(target: EventTarget | null): boolean {
  return (
    (target instanceof HTMLInputElement && target.type !== "checkbox") ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement
  );
}
