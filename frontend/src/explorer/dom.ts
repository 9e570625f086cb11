type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined>;

/** An element with attributes and children. Texts become text nodes: nothing is ever parsed as markup. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => !!child));
  return element;
}

/** Client pixels to one pixel of an element, where something around it is scaled or zoomed. */
export function scaleOf(element: HTMLElement): number {
  return element.getBoundingClientRect().width / element.offsetWidth || 1;
}

export function button(label: string, text: string, onClick: () => void, className = ""): HTMLButtonElement {
  const element = h("button", { type: "button", class: className, "aria-label": label, title: label }, text);
  element.addEventListener("click", onClick);
  return element;
}
