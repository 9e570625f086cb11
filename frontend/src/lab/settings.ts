import type { ISettingRegistry } from "@jupyterlab/settingregistry";

/** The settings of `schema/plugin.json`. */
export interface Settings {
  /** Seconds between two looks for new captures. */
  refreshInterval: number;
  /** What stands in the line of the magic that Profile This Cell runs: a name, and options. */
  magic: string;
  /** Where its captures go, relative to the notebook; empty: where the magic puts them. */
  folder: string;
  theme: "jupyter" | "light" | "dark";
}

export const DEFAULTS: Settings = { refreshInterval: 5, magic: "profile", folder: "", theme: "jupyter" };

/** What stands behind `%%neuronprof`; it reads quotes as a shell does. */
export function magicLine({ magic, folder }: Settings): string {
  const line = magic.replace(/\s+/g, " ").trim();
  const named = /(^|\s)--out\b/.test(line) || !folder.trim();
  return named ? line : `${line} --out "${folder.trim().replace(/["\\]/g, "\\$&")}"`;
}

export async function loadSettings(
  registry: ISettingRegistry,
  plugin: string,
  take: (settings: Settings) => void,
): Promise<void> {
  const settings = await registry.load(plugin);
  const tell = () => take({ ...DEFAULTS, ...(settings.composite as Partial<Settings>) });
  settings.changed.connect(tell);
  tell();
}
