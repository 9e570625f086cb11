import { Notification } from "@jupyterlab/apputils";
import type { TranslationBundle } from "@jupyterlab/translation";
import { version } from "../../package.json";
import type { Captures } from "./captures.ts";

/** Of this side. The server and each kernel may have another, for each has an environment of its own. */
export const VERSION: string = version;

/** A notification that is shown until it is read. */
export const STAYS = { autoClose: false } as const;

export function differs(other: string): boolean {
  return other !== VERSION;
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
    const { version } = captures.listing;
    if (!differs(version)) return;
    Notification.warning(
      trans.__(
        "Neuron Profiles is version %1 in the browser and %2 on the server: run pip install -U neuron-nbprof in the " +
          "environment of the Jupyter server, restart it, and reload this page.",
        VERSION,
        version,
      ),
      STAYS,
    );
  };
  captures.changed.connect(compare);
}
