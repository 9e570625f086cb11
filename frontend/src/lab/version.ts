import { Notification } from "@jupyterlab/apputils";
import type { TranslationBundle } from "@jupyterlab/translation";
import { version } from "../../package.json";
import type { Captures } from "./captures.ts";

/** Of this side. The server and each kernel may have another, for each has an environment of its own. */
export const VERSION: string = version;

/** A notification that is shown until it is read. */
const STAYS = { autoClose: false } as const;

/** Negative when `a` is older than `b`, by their numbers, positive when it is newer; 0 when they are the same. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => (version.match(/\d+/g) ?? []).map(Number));
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference) return difference;
  }
  return a < b ? -1 : Number(a > b);
}

/** Say once when there is no server part, for which `without` then makes up, or when it is of another version. */
export function watchServer(captures: Captures, trans: TranslationBundle, without: () => void): void {
  captures.missing.connect(() => {
    without();
    Notification.info(
      trans.__(
        "Neuron Profiles needs its server part, which is not there: pip install neuron-nbprof in the environment of " +
          "the Jupyter server. Profiles within notebooks work without it.",
      ),
      STAYS,
    );
  });
  const compare = () => {
    if (!captures.listing) return;
    captures.changed.disconnect(compare);
    const problem = serverProblem(captures.listing.version, trans);
    if (problem) Notification.warning(problem, STAYS);
  };
  captures.changed.connect(compare);
}

function serverProblem(server: string, trans: TranslationBundle): string | null {
  const order = compareVersions(server, VERSION);
  if (order === 0) return null;
  const found = trans.__(
    "Neuron Profiles is version %1 in the browser and %2 on the server",
    VERSION,
    server,
  );
  const remedy =
    order < 0
      ? trans.__(
          "run pip install neuron-nbprof==%1 in the environment of the Jupyter server and restart it.",
          VERSION,
        )
      : trans.__(
          "reload this page. If it says so again, JupyterLab finds an older extension elsewhere: run pip install " +
            "neuron-nbprof==%1 in the environment of JupyterLab.",
          server,
        );
  return `${found}: ${remedy}`;
}

/** Versions of kernels that have been spoken of. */
const told = new Set<string>();

/** Say once, for each version, that a kernel has another one than JupyterLab, and what to install where. */
export function checkKernel(kernel: string, trans: TranslationBundle): void {
  const order = compareVersions(kernel, VERSION);
  if (order === 0 || told.has(kernel)) return;
  told.add(kernel);
  const found = trans.__("The kernel has neuron_nbprof %1 and JupyterLab %2", kernel, VERSION);
  const remedy =
    order < 0
      ? trans.__("run %pip install neuron-nbprof==%1 in a cell and restart the kernel.", VERSION)
      : trans.__(
          "run pip install neuron-nbprof==%1 in the environment of the Jupyter server and restart it.",
          kernel,
        );
  Notification.warning(`${found}: ${remedy}`, STAYS);
}
