import type { IStateDB } from "@jupyterlab/statedb";

const KEY = "neuron-nbprof:selected";
const MOST = 100;

/** Which event was selected in which capture: a reloaded page goes on there. */
export class Memory {
  private selected = new Map<string, number>();

  private constructor(private readonly state: IStateDB | null) {}

  static async load(state: IStateDB | null): Promise<Memory> {
    const memory = new Memory(state);
    const stored = await state?.fetch(KEY);
    for (const [path, id] of Array.isArray(stored) ? (stored as unknown[][]) : []) {
      if (typeof path === "string" && Number.isSafeInteger(id)) memory.selected.set(path, id as number);
    }
    return memory;
  }

  get(path: string): number | null {
    return this.selected.get(path) ?? null;
  }

  set(path: string, id: number | null): void {
    this.selected.delete(path);
    if (id !== null) this.selected.set(path, id);
    const entries = [...this.selected].slice(-MOST);
    this.selected = new Map(entries);
    void this.state?.save(KEY, entries);
  }
}
