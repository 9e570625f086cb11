import { Clipboard, IFrame } from "@jupyterlab/apputils";
import type { TranslationBundle } from "@jupyterlab/translation";
import { Signal } from "@lumino/signaling";
import { PanelLayout, Widget } from "@lumino/widgets";
import {
  COPY,
  isChainReport,
  isKey,
  isText,
  KEY,
  READY,
  SELECT,
  THEME,
  type ChainReport,
} from "../core/report.ts";
import type { Memory } from "./memory.ts";
import type { Server } from "./server.ts";

/** What an explorer told; `asked` when this side had it selected, and not a person in the frame. */
export interface Told {
  report: ChainReport;
  asked: boolean;
}

export interface ViewOptions {
  path: string;
  server: Server;
  dark: () => boolean;
  trans: TranslationBundle;
  /** Which event to begin with. */
  memory: Promise<Memory>;
}

/**
 * The explorer of one capture in a frame that may run scripts and nothing else: it has no origin, so what a capture
 * holds cannot reach Jupyter. Frame and tab talk by messages, and the frame is known by its window.
 */
export class ProfileView extends Widget {
  readonly reported = new Signal<this, Told>(this);
  readonly path: string;
  private readonly frame = new IFrame({ sandbox: ["allow-scripts"], referrerPolicy: "no-referrer" });
  private readonly message = new Widget({ node: document.createElement("p") });
  private address: string | null = null;
  private page: Blob | null = null;
  /** Id of the event that this side asked for. */
  private asked: number | null = null;

  constructor(private readonly options: ViewOptions) {
    super();
    this.path = options.path;
    this.addClass("jp-Neuron-view");
    const layout = (this.layout = new PanelLayout());
    layout.addWidget(this.message);
    layout.addWidget(this.frame);
    this.element.title = options.trans.__("Neuron profile %1", options.path);
    window.addEventListener("message", this);
  }

  /** Fetch the page and show it, or the sentence that says why there is none. */
  async load(): Promise<void> {
    const { server, path, trans } = this.options;
    this.say(trans.__("Reading %1 …", path));
    try {
      this.page = await server.page(path);
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
    this.asked = id;
    this.post({ type: SELECT, id });
  }

  /** Take the theme of JupyterLab. */
  setTheme(): void {
    const dark = this.options.dark();
    this.element.style.colorScheme = dark ? "dark" : "light";
    this.post({ type: THEME, dark });
  }

  handleEvent(event: MessageEvent): void {
    // The origin of the frame is "null", as that of any other frame without one.
    if (event.source === null || event.source !== this.element.contentWindow) return;
    const { data } = event;
    if (data?.type === READY) void this.begin();
    else if (isChainReport(data)) this.tell(data);
    else if (document.activeElement === this.element) this.serve(data);
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
    const id = report.selected?.id ?? null;
    const asked = id !== null && id === this.asked;
    this.asked = null;
    void this.options.memory.then((memory) => memory.set(this.path, id));
    this.reported.emit({ report, asked });
  }

  private async begin(): Promise<void> {
    this.setTheme();
    const selected = (await this.options.memory).get(this.path);
    if (selected !== null) this.select(selected);
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
