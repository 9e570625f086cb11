import type { TranslationBundle } from "@jupyterlab/translation";

// JupyterLab cuts a notification after 140 letters, so each sentence here is shorter.

/** Negative when `a` is older than `b`, by their numbers, positive when it is newer; 0 when they are the same. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => (version.match(/\d+/g) ?? []).map(Number));
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference) return difference;
  }
  return a < b ? -1 : Number(a > b);
}

export function withoutServer(trans: TranslationBundle): string {
  return trans.__(
    "Neuron Profiles needs its server part: pip install neuron-nbprof where the Jupyter server runs. Widgets work without it.",
  );
}

/** What to install where when the browser's part has version `own`; null when the server has the same. */
export function serverAdvice(own: string, server: string, trans: TranslationBundle): string | null {
  const order = compareVersions(server, own);
  if (order === 0) return null;
  return order < 0
    ? trans.__(
        "Neuron Profiles is %1 in the browser, %2 on the server. There: pip install neuron-nbprof==%1, and restart it.",
        own,
        server,
      )
    : trans.__(
        "Neuron Profiles is %1 in the browser, %2 on the server. Reload, or pip install neuron-nbprof==%2 for JupyterLab.",
        own,
        server,
      );
}

/** What to install where when JupyterLab has version `own`; null when the kernel has the same. */
export function kernelAdvice(own: string, kernel: string, trans: TranslationBundle): string | null {
  const order = compareVersions(kernel, own);
  if (order === 0) return null;
  return order < 0
    ? trans.__(
        "The kernel has neuron_nbprof %2, JupyterLab %1. In a cell: %pip install neuron-nbprof==%1, then restart it.",
        own,
        kernel,
      )
    : trans.__(
        "The kernel has neuron_nbprof %2, JupyterLab %1. Where Jupyter runs: pip install neuron-nbprof==%2, restart it.",
        own,
        kernel,
      );
}
