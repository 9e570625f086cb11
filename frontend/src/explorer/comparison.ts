import { isAbsent, type Answer, type Compared } from "../core/answers.ts";
import { sameColours } from "../core/same_colours.ts";
import type { Trace } from "../core/trace.ts";
import type { Bokeh } from "./bokeh.ts";
import { ComparedTable } from "./compared.ts";
import { h } from "./dom.ts";
import { Explorer, type ViewOptions } from "./explorer.ts";

/** Several profiles in numbers and words, and one below the other on one scale, each counted from its first dispatch. */
export class Comparison {
  readonly root = h("div", { class: "nbp-comparison" });
  readonly explorers: Explorer[];
  private readonly table: ComparedTable;
  /** Time of the first dispatch of each. */
  private readonly origins: number[];
  private moving = false;

  constructor(traces: Trace[], compared: Answer<Compared>, options: ViewOptions = {}) {
    const alike = sameColours(traces);
    const titles = isAbsent(compared) ? [] : compared.rows.map(({ version }) => String(version));
    this.explorers = alike.map(
      (trace, i) => new Explorer(trace, { ...options, compact: true, title: titles[i] }),
    );
    this.origins = traces.map((trace) => trace.firstDispatch);
    this.table = new ComparedTable(compared);
    this.root.append(this.table.element, ...this.explorers.map(({ root }) => root));
    this.align();
    this.explorers.forEach((explorer, i) => (explorer.onMove = () => this.follow(i)));
  }

  async embed(bokeh: Bokeh, item: unknown): Promise<void> {
    for (const explorer of this.explorers) await explorer.embed(bokeh, item);
  }

  /** Take over how the host wants each of them. */
  arrange(options: ViewOptions): void {
    for (const explorer of this.explorers) explorer.arrange(options);
  }

  remove(): void {
    this.table.remove();
    for (const explorer of this.explorers) explorer.remove();
    this.root.remove();
  }

  /** Every view may show what any of them holds, and begins with what all begin with. */
  private align(): void {
    const views = this.explorers.map(({ timeline }) => timeline.viewport);
    const from = Math.min(...views.map(({ x0 }, i) => x0 - this.origins[i]));
    const to = Math.max(...views.map(({ x1 }, i) => x1 - this.origins[i]));
    this.explorers.forEach((explorer, i) =>
      explorer.align(this.origins[i], this.origins[i] + from, this.origins[i] + to),
    );
  }

  private follow(leader: number): void {
    if (this.moving) return;
    this.moving = true;
    const { x0, x1 } = this.explorers[leader].span;
    this.explorers.forEach((explorer, i) => {
      const by = this.origins[i] - this.origins[leader];
      if (i !== leader) explorer.showSpan(x0 + by, x1 + by);
    });
    this.moving = false;
  }
}
