import type { TranslationBundle } from "@jupyterlab/translation";
import {
  copyIcon,
  deleteIcon,
  folderIcon,
  ReactWidget,
  refreshIcon,
  UseSignal,
  type LabIcon,
} from "@jupyterlab/ui-components";
import * as React from "react";
import { duration } from "../core/time.ts";
import { age } from "./age.ts";
import { grouped, type Captures, type Group } from "./captures.ts";
import { profileIcon } from "./icon.ts";
import type { Capture } from "./server.ts";

/** So many are listed at once; the filter finds the others. */
const MOST_ROWS = 200;

/** What a person may do with captures. */
export interface CaptureActions {
  open(path: string): void;
  compare(paths: string[]): void;
  reveal(path: string): void;
  copy(path: string): void;
  remove(path: string): void;
}

interface Properties {
  captures: Captures;
  actions: CaptureActions;
  trans: TranslationBundle;
}

/** The list on the left. */
export class Sidebar extends ReactWidget {
  constructor(private readonly properties: Properties) {
    super();
    const { trans } = properties;
    this.id = "neuron-nbprof-captures";
    this.addClass("jp-Neuron-sidebar");
    this.title.icon = profileIcon;
    this.title.caption = trans.__("Neuron Profiles");
    this.node.setAttribute("role", "region");
    this.node.setAttribute("aria-label", trans.__("Neuron Profiles"));
  }

  protected override onAfterShow(): void {
    this.properties.captures.refresh();
  }

  protected render(): React.JSX.Element {
    return (
      <UseSignal signal={this.properties.captures.changed}>{() => <List {...this.properties} />}</UseSignal>
    );
  }
}

function List(properties: Properties): React.JSX.Element {
  const { captures, actions, trans } = properties;
  const [filter, setFilter] = React.useState("");
  const all = captures.listing?.captures ?? [];
  const ticked = [...captures.ticked];
  return (
    <>
      <div className="jp-Neuron-tools" role="toolbar" aria-label={trans.__("Captures")}>
        <input
          type="search"
          className="jp-Neuron-filter"
          placeholder={trans.__("Filter")}
          aria-label={trans.__("Filter captures by name, device, path")}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <Action icon={refreshIcon} label={trans.__("Refresh")} run={() => captures.refresh()} />
        <button
          className="jp-Neuron-compare"
          disabled={ticked.length < 2}
          title={trans.__("Show the ticked captures side by side")}
          onClick={() => actions.compare(ticked)}
        >
          {trans.__("Compare")}
        </button>
      </div>
      {captures.error && <p role="alert">{captures.error}</p>}
      <div className="jp-Neuron-groups">
        {captures.listing && !all.length && <Nothing trans={trans} />}
        {grouped(all, filter).map((group) => (
          <GroupOf key={group.kind} group={group} {...properties} />
        ))}
        {captures.listing?.cut && (
          <p>
            {trans.__("Not the whole folder was searched: it is too large. Open other captures by path.")}
          </p>
        )}
      </div>
    </>
  );
}

function Nothing({ trans }: { trans: TranslationBundle }): React.JSX.Element {
  return (
    <p>
      {trans.__("No captures yet. Record one with")} <code>%%neuronprof NAME</code>{" "}
      {trans.__("above a cell, or with the button Profile this cell.")}
    </p>
  );
}

function GroupOf({ group, ...properties }: Properties & { group: Group }): React.JSX.Element | null {
  const { trans } = properties;
  const titles = {
    running: trans.__("Running kernels"),
    ended: trans.__("Ended kernels"),
    found: trans.__("Found in this folder"),
  };
  const count = group.captures.length;
  if (!count) return null;
  const more = count - MOST_ROWS;
  return (
    <section aria-label={titles[group.kind]}>
      <h3>
        {titles[group.kind]} <small>{count}</small>
      </h3>
      <ul>
        {group.captures.slice(0, MOST_ROWS).map((capture) => (
          <Row key={capture.path} capture={capture} {...properties} />
        ))}
      </ul>
      {more > 0 && <p>{trans.__("and %1 more: narrow the filter", more)}</p>}
    </section>
  );
}

function Row({ capture, captures, actions, trans }: Properties & { capture: Capture }): React.JSX.Element {
  const { path, name } = capture;
  return (
    <li className="jp-Neuron-capture" data-path={path}>
      <input
        type="checkbox"
        aria-label={trans.__("Compare %1", name)}
        checked={captures.ticked.has(path)}
        onChange={() => captures.tick(path)}
      />
      <button className="jp-Neuron-open" title={path} onClick={() => actions.open(path)}>
        <span className="jp-Neuron-name">{name}</span>
        {!!capture.device_ns && (
          <span className="jp-Neuron-time" title={trans.__("Time on the device")}>
            {duration(capture.device_ns)}
          </span>
        )}
        <span className="jp-Neuron-facts">{facts(capture, trans)}</span>
        {capture.error && <span className="jp-Neuron-error">{capture.error}</span>}
      </button>
      <span className="jp-Neuron-actions">
        <Action
          icon={folderIcon}
          label={trans.__("Show %1 in the file browser", name)}
          run={() => actions.reveal(path)}
        />
        <Action
          icon={copyIcon}
          label={trans.__("Copy the Python line that opens %1", name)}
          run={() => actions.copy(path)}
        />
        <Action icon={deleteIcon} label={trans.__("Delete %1", name)} run={() => actions.remove(path)} />
      </span>
    </li>
  );
}

function facts(capture: Capture, trans: TranslationBundle): React.ReactNode {
  const device = capture.device.replace(/^SIMULATED\s+/, "");
  return (
    <>
      {capture.simulated && <b>{trans.__("SIMULATED")} </b>}
      {[device, age(Date.now() / 1000 - capture.created), capture.notebook?.split("/").pop()]
        .filter(Boolean)
        .join(" · ")}
    </>
  );
}

function Action(properties: { icon: LabIcon; label: string; run: () => void }): React.JSX.Element {
  const { icon, label, run } = properties;
  return (
    <button className="jp-Neuron-action" aria-label={label} title={label} onClick={run}>
      <icon.react tag="span" />
    </button>
  );
}
