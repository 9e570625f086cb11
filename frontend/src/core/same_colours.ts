import { isOperator } from "./colours.ts";
import { EventTable } from "./events.ts";
import { Lane } from "./meta.ts";
import { Trace } from "./trace.ts";

/**
 * The same traces, an operator coloured in all of them where it is in one.
 *
 * Alone, a trace keeps operators grey that do nothing on the device; beside another in which they do, the eye
 * looks for the same colour.
 */
export function sameColours(traces: Trace[]): Trace[] {
  const colours = new Map<string, number>();
  for (const { meta } of traces)
    for (const { name, colour } of meta.operators) if (isOperator(colour)) colours.set(name, colour);
  return traces.map((trace) => coloured(trace, colours));
}

function coloured(trace: Trace, colours: Map<string, number>): Trace {
  const { events, meta } = trace;
  const plain = meta.operators.filter(({ name, colour }) => !colour && colours.has(name));
  if (!plain.length) return trace;
  const given = new Map(plain.map(({ name }) => [name, colours.get(name)!]));
  const byName = meta.strings.map((name) => given.get(name) ?? 0);
  const colour = events.colour.slice();
  for (let row = 0; row < events.count; row++)
    if (!colour[row] && byName[events.name[row]] && trace.lane(row) === Lane.Dispatch)
      colour[row] = byName[events.name[row]];
  const operators = meta.operators.map((operator) => ({
    ...operator,
    colour: given.get(operator.name) ?? operator.colour,
  }));
  return trace.with({ ...meta, operators }, new EventTable({ ...events, colour }));
}
