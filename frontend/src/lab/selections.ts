import { Signal } from "@lumino/signaling";
import type { Widget } from "@lumino/widgets";
import type { ChainReport } from "../core/report.ts";

/** What is selected in one explorer, and how to select something else there. */
export interface Selection {
  report: ChainReport;
  select(id: number): void;
}

/** The selections of all explorers; the current one is that of the widget in which a person works. */
export class Selections {
  readonly changed = new Signal<this, void>(this);
  private readonly of = new WeakMap<Widget, Selection>();
  private shown: Selection | null = null;

  get current(): Selection | null {
    return this.shown;
  }

  /** `owner` is the document or tab that holds the explorer. */
  tell(owner: Widget, selection: Selection): void {
    this.of.set(owner, selection);
    this.show(selection);
  }

  /** A person turned to this document: its selection is the one to follow, if it has one. */
  follow(owner: Widget | null): void {
    const known = owner && this.of.get(owner);
    if (known) this.show(known);
  }

  /** What `owner` showed is gone. */
  forget(owner: Widget): void {
    if (this.of.get(owner) === this.shown) this.show(null);
    this.of.delete(owner);
  }

  private show(selection: Selection | null): void {
    this.shown = selection;
    this.changed.emit();
  }
}
