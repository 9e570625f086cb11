import { version } from "../../package.json";

/** Of this side. The server and each kernel may have another, for each has an environment of its own. */
export const VERSION: string = version;

export function differs(other: string): boolean {
  return other !== VERSION;
}
