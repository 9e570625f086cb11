import type { TranslationBundle } from "@jupyterlab/translation";
import { ReactWidget, UseSignal } from "@jupyterlab/ui-components";
import { Signal } from "@lumino/signaling";
import * as React from "react";
import type { ReportLine, ReportStation, ReportWait, SelectedEvent } from "../core/report.ts";
import { duration, exactNs } from "../core/time.ts";
import { profileIcon } from "./icon.ts";
import type { Selection, Selections } from "./selections.ts";

/** The dependency chain of the selected event, on the right. */
export class Inspector extends ReactWidget {
  /** It came into sight, or is gone from it. */
  readonly turned = new Signal<this, void>(this);

  constructor(
    private readonly selections: Selections,
    private readonly trans: TranslationBundle,
  ) {
    super();
    this.id = "neuron-nbprof-inspector";
    this.addClass("jp-Neuron-inspector");
    this.title.icon = profileIcon;
    this.title.caption = trans.__("Dependency chain");
    this.node.setAttribute("role", "region");
    this.node.setAttribute("aria-label", trans.__("Dependency chain"));
  }

  protected override onAfterShow(): void {
    this.turned.emit();
  }

  protected override onAfterHide(): void {
    this.turned.emit();
  }

  protected render(): React.JSX.Element {
    const { selections, trans } = this;
    return (
      <UseSignal signal={selections.changed}>
        {() => {
          const { current } = selections;
          const selected = current?.report.selected;
          return current && selected ? (
            <Chain selection={current} selected={selected} trans={trans} />
          ) : (
            <p>{trans.__("Click an event in a profile to follow it from the dispatch to the hardware.")}</p>
          );
        }}
      </UseSignal>
    );
  }
}

interface ChainProperties {
  selection: Selection;
  selected: SelectedEvent;
  trans: TranslationBundle;
}

function Chain({ selection, selected, trans }: ChainProperties): React.JSX.Element {
  const { report, select } = selection;
  const { lines } = selected;
  return (
    <>
      <h3>
        {selected.name} <small>{selected.ordinal}</small>
      </h3>
      <p className="jp-Neuron-facts">
        {report.simulated && <b>{trans.__("SIMULATED")} </b>}
        {report.title}
      </p>
      {lines.map((line, i) => (
        <LineOf key={i} {...{ line, i, count: lines.length, select, trans, id: selected.id }} />
      ))}
      {selected.truncated && <p>{trans.__("The chain goes on; the rest is left out.")}</p>}
      <h4>{trans.__("Arguments")}</h4>
      <pre tabIndex={0} role="group" aria-label={trans.__("Arguments")}>
        {selected.args}
      </pre>
    </>
  );
}

interface LineProperties {
  line: ReportLine;
  i: number;
  count: number;
  id: number;
  select: (id: number) => void;
  trans: TranslationBundle;
}

function LineOf({ line, i, count, id, select, trans }: LineProperties): React.JSX.Element {
  const total = duration(line.total);
  const title =
    count > 1 ? trans.__("Execution %1 of %2: %3", i + 1, count, total) : trans.__("Total: %1", total);
  return (
    <section aria-label={title}>
      <h4 title={exactNs(line.total)}>{title}</h4>
      <ol>
        {line.stations.map((station, at) => (
          <React.Fragment key={at}>
            {at > 0 && <Wait wait={line.waits[at - 1]} trans={trans} />}
            <Station {...{ station, id, select, trans }} />
          </React.Fragment>
        ))}
        {line.stream && <Station station={line.stream} seen {...{ id, select, trans }} />}
      </ol>
    </section>
  );
}

function Wait({ wait, trans }: { wait: ReportWait; trans: TranslationBundle }): React.JSX.Element {
  const { cores, text, rule, ns } = wait;
  const split = cores && trans.__("%1 busy and %2 idle", exactNs(cores.busy), exactNs(cores.idle));
  return (
    <li className="jp-Neuron-wait" title={split ? `${exactNs(ns)}: ${split}` : exactNs(ns)}>
      {text}
      {cores && (
        <div className="jp-Neuron-split" aria-hidden="true">
          <span style={{ flexGrow: cores.busy }} />
          <span style={{ flexGrow: cores.idle }} />
        </div>
      )}
      {cores?.with && <small>{cores.with}</small>}
      <small>{rule}</small>
    </li>
  );
}

interface StationProperties {
  station: ReportStation;
  id: number;
  /** The framework's view: shown, never added. */
  seen?: boolean;
  select: (id: number) => void;
  trans: TranslationBundle;
}

function Station({ station, id, seen, select, trans }: StationProperties): React.JSX.Element {
  return (
    <li className={seen ? "jp-Neuron-station jp-mod-seen" : "jp-Neuron-station"}>
      <button
        aria-current={station.id === id}
        title={trans.__("Show %1 in the timeline", station.name)}
        onClick={() => select(station.id)}
      >
        <span className="jp-Neuron-name">{station.name}</span>
        <span className="jp-Neuron-time" title={exactNs(station.duration)}>
          {duration(station.duration)}
        </span>
        <span className="jp-Neuron-facts">
          {station.where}
          {seen && ` · ${trans.__("the framework's view, not added")}`}
        </span>
      </button>
    </li>
  );
}
