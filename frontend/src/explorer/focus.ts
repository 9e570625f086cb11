const STOPS = "button, input, select, textarea, summary, [tabindex]";

/**
 * Redraw what `within` holds, and leave the focus where it was: on the control of the same name, on the one that has
 * taken its place, or else where a reader goes on from: the tab around it, or the timeline.
 */
export function keepFocus(within: HTMLElement, redraw: () => void): void {
  const active = activeIn(within);
  const before = active ? stops(within) : [];
  const alike = active ? before.filter((stop) => nameOf(stop) === nameOf(active)).indexOf(active) : 0;
  redraw();
  if (!active || (activeIn(within) === active && isShown(active))) return;
  const after = stops(within);
  const same = after.filter((stop) => nameOf(stop) === nameOf(active));
  const next =
    same[Math.min(alike, same.length - 1)] ??
    after[Math.min(before.indexOf(active), after.length - 1)] ??
    around(within);
  next?.focus({ preventScroll: true });
}

function isShown(element: HTMLElement): boolean {
  return element.getClientRects().length > 0;
}

function activeIn(within: HTMLElement): HTMLElement | null {
  const { activeElement } = within.getRootNode() as Document | ShadowRoot;
  return activeElement instanceof HTMLElement && within.contains(activeElement) ? activeElement : null;
}

function stops(within: HTMLElement): HTMLElement[] {
  return [...within.querySelectorAll<HTMLElement>(STOPS)].filter(isShown);
}

/** What a control does, whatever it is called at the moment. */
function nameOf(stop: HTMLElement): string {
  return stop.dataset["control"] ?? stop.getAttribute("aria-label") ?? stop.textContent ?? "";
}

function around(within: HTMLElement): HTMLElement | null {
  const tab = within.closest("[role=tabpanel]")?.getAttribute("aria-labelledby");
  const root = within.closest<HTMLElement>(".nbp");
  return root?.querySelector<HTMLElement>(tab ? `#${CSS.escape(tab)}` : ".nbp-surface") ?? null;
}
