import { URLExt } from "@jupyterlab/coreutils";
import { ServerConnection } from "@jupyterlab/services";

const NAMESPACE = "neuron-nbprof";
const NOT_MODIFIED = 304;

/** One capture, as `neuron_nbprof.lab.listing` tells it. */
export interface Capture {
  path: string;
  name: string;
  /** Unix seconds. */
  created: number;
  bytes: number;
  kernel: string | null;
  running: boolean;
  notebook: string | null;
  device: string;
  simulated: boolean;
  error: string | null;
  /** Versions of neuron_nbprof and of torch that wrote it, where it says so. */
  recorded_with: string | null;
  torch: string | null;
  device_ns: number | null;
}

export interface Listing {
  version: string;
  /** The folder that paths are relative to. */
  root: string;
  captures: Capture[];
  /** Whether a limit of the search was reached. */
  cut: boolean;
}

/** There is no server part: none is installed, or there is no server at all, as in JupyterLite. */
export class NoServerPart extends Error {}

/** The server part of this extension. */
export class Server {
  private tag: string | null = null;

  constructor(private readonly settings: ServerConnection.ISettings) {}

  /** What there is, or null when that has not changed since it was last asked. */
  async captures(): Promise<Listing | null> {
    const headers: HeadersInit = this.tag ? { "If-None-Match": this.tag } : {};
    const response = await this.request(this.url("captures"), headers);
    if (response.status === NOT_MODIFIED) return null;
    if (response.status === 404 || !isJson(response)) throw new NoServerPart();
    if (!response.ok) throw new Error(await reason(response));
    this.tag = response.headers.get("ETag");
    return (await response.json()) as Listing;
  }

  /** The explorer of one capture, or of several compared, as a page. Throws an Error with the server's sentence when there is none. */
  async page(paths: string[]): Promise<Blob> {
    const response = await this.request(this.pageUrl(paths));
    if (!response.ok) throw new Error(await reason(response));
    return response.blob();
  }

  pageUrl(paths: string[]): string {
    return `${this.url("page")}?${new URLSearchParams(paths.map((path) => ["path", path]))}`;
  }

  private url(endPoint: string): string {
    return URLExt.join(this.settings.baseUrl, NAMESPACE, endPoint);
  }

  private request(url: string, headers: HeadersInit = {}): Promise<Response> {
    return ServerConnection.makeRequest(url, { headers }, this.settings);
  }
}

function isJson(response: Response): boolean {
  return (response.headers.get("Content-Type") ?? "").includes("json");
}

async function reason(response: Response): Promise<string> {
  const plain = `The server answered ${response.status} ${response.statusText}.`;
  if (!isJson(response)) return plain;
  const { message } = (await response.json()) as { message?: unknown };
  return typeof message === "string" ? message : plain;
}
