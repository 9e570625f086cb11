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
import { grouped, matching, type Captures, type Group } from "./captures.ts";
import { profileIcon } from "./icon.ts";
import type { Capture } from "./server.ts";

/** So many are listed at once; the filter finds the others. */
const MOST_ROWS = 200;
/** Of the columns of a row, that which opens it. */
const OPEN_COLUMN = 1;

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
  const [at, setAt] = React.useState("");
  const all = captures.listing?.captures ?? [];
  const ticked = [...captures.ticked];
  const groups = grouped(all, filter, captures.recent);
  const rows = groups.flatMap((group) => group.captures.slice(0, MOST_ROWS).map((one) => rowKey(group, one)));
  const reached = rows.includes(at) ? at : rows[0];
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
          onKeyDown={moveFocus}
        />
        <Action icon={refreshIcon} label={trans.__("Refresh")} run={() => captures.refresh()} />
        <button
          className="jp-Neuron-compare"
          disabled={ticked.length < 2}
          title={trans.__("Compare the ticked captures on one page")}
          onClick={() => actions.compare(ticked)}
        >
          {trans.__("Compare")}
        </button>
      </div>
      {captures.error && <p role="alert">{captures.error}</p>}
      <p role="status" className="jp-Neuron-count">
        {countText(captures, filter, trans)}
      </p>
      <div className="jp-Neuron-groups" onKeyDown={moveFocus}>
        {captures.listing && !all.length && <Nothing trans={trans} />}
        {groups.map((group) => (
          <GroupOf key={group.kind} {...{ group, reached, setAt }} {...properties} />
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

function rowKey({ kind }: Group, { path }: Capture): string {
  return `${kind}:${path}`;
}

function countText({ listing }: Captures, filter: string, trans: TranslationBundle): string {
  if (!listing) return trans.__("Looking for captures …");
  const all = listing.captures.length;
  if (!filter.trim()) return all ? trans._n("%1 capture", "%1 captures", all) : "";
  return trans.__("%1 of %2 captures", matching(listing.captures, filter).length, all);
}

/** Arrow keys go from row to row and stay in their column; only one row is in the order of tabbing. */
function moveFocus(event: React.KeyboardEvent<HTMLElement>): void {
  const { key, currentTarget } = event;
  const target = event.target as HTMLElement;
  const rows = [...currentTarget.closest(".jp-Neuron-sidebar")!.querySelectorAll(".jp-Neuron-capture")];
  const row = target.closest(".jp-Neuron-capture");
  const from = row ? rows.indexOf(row) : -1;
  const places: Record<string, number> = { ArrowDown: from + 1, ArrowUp: from - 1 };
  if (row) Object.assign(places, { Home: 0, End: rows.length - 1 });
  const to = rows[places[key]];
  if (!to) return;
  event.preventDefault();
  const columns = (of: Element) => [...of.querySelectorAll<HTMLElement>("input, button")];
  const column = row ? columns(row).indexOf(target) : OPEN_COLUMN;
  columns(to)[column].focus();
}

function Nothing({ trans }: { trans: TranslationBundle }): React.JSX.Element {
  return (
    <p>
      {trans.__("No captures yet. Record one with")} <code>%%neuronprof NAME</code>{" "}
      {trans.__("above a cell, or with the button Profile this cell.")}
    </p>
  );
}

interface GroupProperties extends Properties {
  group: Group;
  /** Key of the row that Tab reaches. */
  reached: string;
  setAt: (key: string) => void;
}

function GroupOf({ group, reached, setAt, ...properties }: GroupProperties): React.JSX.Element | null {
  const { trans } = properties;
  const titles = {
    running: trans.__("Running kernels"),
    recent: trans.__("Recently opened"),
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
        {group.captures.slice(0, MOST_ROWS).map((capture) => {
          const key = rowKey(group, capture);
          const tabIndex = key === reached ? 0 : -1;
          return <Row {...{ key, capture, tabIndex }} focused={() => setAt(key)} {...properties} />;
        })}
      </ul>
      {more > 0 && <p>{trans.__("and %1 more: narrow the filter", more)}</p>}
    </section>
  );
}

interface RowProperties extends Properties {
  capture: Capture;
  tabIndex: number;
  focused: () => void;
}

function Row({ capture, tabIndex, focused, captures, actions, trans }: RowProperties): React.JSX.Element {
  const { path, name } = capture;
  return (
    <li className="jp-Neuron-capture" data-path={path} onFocus={focused}>
      <input
        type="checkbox"
        aria-label={trans.__("Compare %1", name)}
        checked={captures.ticked.has(path)}
        onChange={() => captures.tick(path)}
        tabIndex={tabIndex}
      />
      <button
        className="jp-Neuron-open"
        title={tooltip(capture, trans)}
        onClick={() => actions.open(path)}
        tabIndex={tabIndex}
      >
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
          tabIndex={tabIndex}
        />
        <Action
          icon={copyIcon}
          label={trans.__("Copy the Python line that opens %1", name)}
          run={() => actions.copy(path)}
          tabIndex={tabIndex}
        />
        <Action
          icon={deleteIcon}
          label={trans.__("Delete %1", name)}
          run={() => actions.remove(path)}
          tabIndex={tabIndex}
        />
      </span>
    </li>
  );
}

/** Where it is, and what wrote it. */
function tooltip({ path, recorded_with, torch }: Capture, trans: TranslationBundle): string {
  const by = [recorded_with && `neuron_nbprof ${recorded_with}`, torch && `torch ${torch}`].filter(Boolean);
  return by.length ? `${path}\n${trans.__("Recorded with %1", by.join(", "))}` : path;
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

interface ActionProperties {
  icon: LabIcon;
  label: string;
  run: () => void;
  tabIndex?: number;
}

function Action({ icon, label, run, tabIndex }: ActionProperties): React.JSX.Element {
  return (
    <button className="jp-Neuron-action" aria-label={label} title={label} onClick={run} tabIndex={tabIndex}>
      <icon.react tag="span" />
    </button>
  );
}
