import { Notification } from "@jupyterlab/apputils";
import type { TranslationBundle } from "@jupyterlab/translation";
import { version } from "../../package.json";
import { kernelAdvice, serverAdvice, withoutServer } from "./advice.ts";
import type { Captures } from "./captures.ts";

/** Of this side. The server and each kernel may have another, for each has an environment of its own. */
const VERSION: string = version;

/** A notification that is shown until it is read. */
const STAYS = { autoClose: false } as const;

/** Say once when there is no server part, for which `without` then makes up, or when it is of another version. */
export function watchServer(captures: Captures, trans: TranslationBundle, without: () => void): void {
  captures.missing.connect(() => {
    without();
    Notification.info(withoutServer(trans), STAYS);
  });
  const compare = () => {
    if (!captures.listing) return;
    captures.changed.disconnect(compare);
    const advice = serverAdvice(VERSION, captures.listing.version, trans);
    if (advice) Notification.warning(advice, STAYS);
  };
  captures.changed.connect(compare);
}

/** Versions of kernels that have been spoken of. */
const told = new Set<string>();

/** Say once, for each version, that a kernel has another one than JupyterLab. */
export function checkKernel(kernel: string, trans: TranslationBundle): void {
  const advice = kernelAdvice(VERSION, kernel, trans);
  if (!advice || told.has(kernel)) return;
  told.add(kernel);
  Notification.warning(advice, STAYS);
}
