import { Clipboard, IFrame } from "@jupyterlab/apputils";
import type { TranslationBundle } from "@jupyterlab/translation";
import { Signal } from "@lumino/signaling";
import { PanelLayout, Widget } from "@lumino/widgets";
import {
  COPY,
  INSPECTED,
  isChainReport,
  isKey,
  isText,
  isView,
  KEY,
  READY,
  SELECT,
  THEME,
  VIEW,
  type ChainReport,
} from "../core/report.ts";
import type { Memory } from "./memory.ts";
import type { Server } from "./server.ts";

/** What an explorer told; `byHand` when a person selected it in the frame, and not this side. */
export interface Told {
  report: ChainReport;
  byHand: boolean;
}

export interface ViewOptions {
  /** The capture; several are compared on one page. */
  paths: string[];
  server: Server;
  dark: () => boolean;
  /** Whether the chain is shown beside it. */
  inspected: () => boolean;
  trans: TranslationBundle;
  /** How to look at it at first. */
  memory: Promise<Memory>;
}

/**
 * The explorer of captures in a frame that may run scripts and nothing else: it has no origin, so what a capture
 * holds cannot reach Jupyter. Frame and tab talk by messages, and the frame is known by its window.
 */
export class ProfileView extends Widget {
  readonly reported = new Signal<this, Told>(this);
  readonly paths: string[];
  private readonly frame = new IFrame({ sandbox: ["allow-scripts"], referrerPolicy: "no-referrer" });
  private readonly message = new Widget({ node: document.createElement("p") });
  private address: string | null = null;
  private page: Blob | null = null;

  constructor(private readonly options: ViewOptions) {
    super();
    this.paths = options.paths;
    this.addClass("jp-Neuron-view");
    const layout = (this.layout = new PanelLayout());
    layout.addWidget(this.message);
    layout.addWidget(this.frame);
    this.element.title = this.description;
    window.addEventListener("message", this);
  }

  /** What stands for it where views are told apart. */
  get key(): string {
    return this.paths.join("\n");
  }

  get description(): string {
    const { trans } = this.options;
    const all = this.paths.join(", ");
    return this.paths.length > 1 ? trans.__("Comparison of %1", all) : trans.__("Neuron profile %1", all);
  }

  /** Fetch the page and show it, or the sentence that says why there is none. */
  async load(): Promise<void> {
    const { server, trans } = this.options;
    this.say(trans.__("Reading %1 …", this.paths.join(", ")));
    try {
      this.page = await server.page(this.paths);
    } catch (reason) {
      this.say(reason instanceof Error ? reason.message : String(reason), true);
      return;
    }
    if (this.isDisposed) return;
    this.release();
    this.address = URL.createObjectURL(this.page);
    this.setTheme();
    this.frame.url = this.address;
    this.frame.show();
    this.message.hide();
  }

  /** The page as it can be saved, once it is there. */
  get saved(): Blob | null {
    return this.page;
  }

  select(id: number): void {
    this.post({ type: SELECT, id });
  }

  /** Take the theme of JupyterLab. */
  setTheme(): void {
    const dark = this.options.dark();
    this.element.style.colorScheme = dark ? "dark" : "light";
    this.post({ type: THEME, dark });
  }

  /** Make room where the inspector shows the chain. */
  setInspected(): void {
    this.post({ type: INSPECTED, shown: this.options.inspected() });
  }

  handleEvent(event: MessageEvent): void {
    // The origin of the frame is "null", as that of any other frame without one.
    if (event.source === null || event.source !== this.element.contentWindow) return;
    const { data } = event;
    if (data?.type === READY) void this.begin();
    else if (isChainReport(data)) this.tell(data);
    else if (data?.type === VIEW && isView(data.view)) void this.keep(data.view);
    else if (this.isWorkedIn) this.serve(data);
  }

  /** Whether a person is at work in the frame, which then has the focus. */
  private get isWorkedIn(): boolean {
    return document.activeElement === this.element;
  }

  /** What only a person who works in the frame may cause. */
  private serve(data: unknown): void {
    const { type, text } = (data ?? {}) as Record<string, unknown>;
    if (type === COPY && isText(text)) Clipboard.copyToSystem(text);
    if (type === KEY && isKey(data)) {
      const { key, code, keyCode, ctrlKey, altKey, shiftKey, metaKey } = data;
      const pressed = { key, code, keyCode, ctrlKey, altKey, shiftKey, metaKey };
      this.node.dispatchEvent(new KeyboardEvent("keydown", { ...pressed, bubbles: true, cancelable: true }));
    }
  }

  override dispose(): void {
    if (this.isDisposed) return;
    window.removeEventListener("message", this);
    this.release();
    Signal.clearData(this);
    super.dispose();
  }

  private tell(report: ChainReport): void {
    this.reported.emit({ report, byHand: this.isWorkedIn });
  }

  private async keep(view: string): Promise<void> {
    (await this.options.memory).set(this.key, view);
  }

  /** The page is drawn, for the first time or again, as after its tab was moved. */
  private async begin(): Promise<void> {
    this.setTheme();
    this.setInspected();
    const memory = await this.options.memory;
    const view = memory.get(this.key) ?? "";
    memory.set(this.key, view);
    if (view) this.post({ type: VIEW, view });
  }

  private say(text: string, failed = false): void {
    this.message.node.textContent = text;
    this.message.node.setAttribute("role", failed ? "alert" : "status");
    this.message.show();
    this.frame.hide();
  }

  private release(): void {
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = null;
  }

  private post(message: object): void {
    this.element.contentWindow?.postMessage(message, "*");
  }

  private get element(): HTMLIFrameElement {
    return this.frame.node.querySelector("iframe")!;
  }
}
