import type { IStateDB } from "@jupyterlab/statedb";
import { isView } from "../core/report.ts";

const KEY = "neuron-nbprof:views";
const MOST = 100;

/** How each page was looked at last, by what it shows: a reloaded page goes on there. */
export class Memory {
  private views = new Map<string, string>();

  private constructor(private readonly state: IStateDB | null) {}

  static async load(state: IStateDB | null): Promise<Memory> {
    const memory = new Memory(state);
    const stored = await state?.fetch(KEY);
    for (const [key, view] of Array.isArray(stored) ? (stored as unknown[][]) : [])
      if (typeof key === "string" && isView(view)) memory.views.set(key, view);
    return memory;
  }

  get(key: string): string | null {
    return this.views.get(key) ?? null;
  }

  /** What was looked at, the last one last. */
  get keys(): string[] {
    return [...this.views.keys()];
  }

  set(key: string, view: string): void {
    this.views.delete(key);
    this.views.set(key, view);
    const entries = [...this.views].slice(-MOST);
    this.views = new Map(entries);
    void this.state?.save(KEY, entries);
  }
}
