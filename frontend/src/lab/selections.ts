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
  private owner: Widget | null = null;

  get current(): Selection | null {
    return (this.owner && this.of.get(this.owner)) ?? null;
  }

  /** `owner` is the document or tab that holds the explorer; it is followed when `now` a person works there. */
  tell(owner: Widget, selection: Selection, now: boolean): void {
    if (!this.of.has(owner)) owner.disposed.connect(() => this.forget(owner));
    this.of.set(owner, selection);
    if (now || owner === this.owner || !this.current) this.show(owner);
  }

  /** A person turned to this document: its selection is the one to follow, if it has one. */
  follow(owner: Widget | null): void {
    if (owner && this.of.has(owner)) this.show(owner);
  }

  /** What `owner` showed is gone. */
  private forget(owner: Widget): void {
    this.of.delete(owner);
    if (owner === this.owner) this.show(null);
  }

  private show(owner: Widget | null): void {
    this.owner = owner;
    this.changed.emit();
  }
}
