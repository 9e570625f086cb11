/** The selection of an explorer in words and numbers, as it is told to the page around it. Times in ns. */
export interface ChainReport {
  type: typeof CHAIN;
  title: string;
  simulated: boolean;
  /** Null when nothing is selected. */
  selected: SelectedEvent | null;
}

export interface SelectedEvent {
  id: number;
  name: string;
  /** Which of the events of this name it is, such as "1 of 3". */
  ordinal: string;
  /** The arguments as readable JSON text. */
  args: string;
  lines: ReportLine[];
  truncated: boolean;
}

export interface ReportLine {
  stations: ReportStation[];
  waits: ReportWait[];
  stream: ReportStation | null;
  total: number;
}

export interface ReportStation {
  id: number;
  name: string;
  /** Lane and tracks. */
  where: string;
  duration: number;
}

export interface ReportWait {
  text: string;
  rule: string;
  ns: number;
  /** What the device did meanwhile, where it was busy with others: both parts are the whole wait. */
  cores: ReportCores | null;
}

export interface ReportCores {
  busy: number;
  idle: number;
  /** Operators that it was busy with, in words; may be empty. */
  with: string;
}

/** Told by an explorer: a message from a page in a frame, a DOM event from a widget. */
export const CHAIN = "neuron-nbprof:chain";
/** Told by a page in a frame: it is drawn and listens. */
export const READY = "neuron-nbprof:ready";
/** Asked by a page in a frame, which has no right to the clipboard: copy this text. */
export const COPY = "neuron-nbprof:copy";
/** Told by a page in a frame: a key was pressed that may be a shortcut of the page around. */
export const KEY = "neuron-nbprof:key";
/** Asked of an explorer: select the event with this id and bring it into view. */
export const SELECT = "neuron-nbprof:select";
/** Told by a page in a frame: how it is looked at, as a text; asked of it: look at it like that again. */
export const VIEW = "neuron-nbprof:view";
/** Told to a page in a frame: whether the page around shows the chain, so that the frame's own may make room. */
export const INSPECTED = "neuron-nbprof:inspected";
/** Asked of a page in a frame: take the theme of the page around. */
export const THEME = "neuron-nbprof:theme";

const MAX_LINES = 5000;
const MAX_STATIONS = 8;
const MAX_TEXT = 1_000_000;

/** Whether a value that came from outside is a report, every part of it. */
export function isChainReport(value: unknown): value is ChainReport {
  return shape(value, {
    type: (type) => type === CHAIN,
    title: text,
    simulated: (simulated) => typeof simulated === "boolean",
    selected: orNull((event) =>
      shape(event, {
        id: integer,
        name: text,
        ordinal: text,
        args: text,
        lines: listOf(MAX_LINES, isLine),
        truncated: (truncated) => typeof truncated === "boolean",
      }),
    ),
  });
}

/** What of a KeyboardEvent is told. */
export type Key = Pick<
  KeyboardEvent,
  "key" | "code" | "keyCode" | "ctrlKey" | "altKey" | "shiftKey" | "metaKey"
>;

export function isKey(value: unknown): value is Key {
  const flag: Check = (one) => typeof one === "boolean";
  return shape(value, {
    key: text,
    code: text,
    keyCode: integer,
    ctrlKey: flag,
    altKey: flag,
    shiftKey: flag,
    metaKey: flag,
  });
}

export function isText(value: unknown): value is string {
  return text(value);
}

/** Whether this is a view as `page/address.ts` writes it: what a page tells is kept and given back, never shown. */
export function isView(value: unknown): value is string {
  return typeof value === "string" && /^[\w.=&-]{0,1000}$/.test(value);
}

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string" && value.length <= MAX_TEXT;
const number: Check = (value) => typeof value === "number" && Number.isFinite(value);
const integer: Check = (value) => Number.isSafeInteger(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  (most: number, check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(check);

function shape(value: unknown, members: Record<string, Check>): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(members).every(([name, check]) => check((value as Record<string, unknown>)[name]));
}

const isStation: Check = (value) => shape(value, { id: integer, name: text, where: text, duration: number });
const isCores: Check = (value) => shape(value, { busy: number, idle: number, with: text });
const isWait: Check = (value) => shape(value, { text, rule: text, ns: number, cores: orNull(isCores) });
const isLine: Check = (value) =>
  shape(value, {
    stations: listOf(MAX_STATIONS, isStation),
    waits: listOf(MAX_STATIONS, isWait),
    stream: orNull(isStation),
    total: number,
  });
