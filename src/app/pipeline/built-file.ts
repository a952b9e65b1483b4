/** Files that the build puts beside the bundle; run from the sources, they lie in the build's folder. */
import { fileURLToPath } from "node:url";
import { InputError } from "../../base/index.ts";
import { readIfThere } from "../../host/index.ts";

/** `what` names it to whoever has not built it. */
export function builtFile(name: string, what: string): Uint8Array {
  for (const place of [`./${name}`, `../../../dist/${name}`]) {
    const bytes = readIfThere(fileURLToPath(new URL(place, import.meta.url)));
    if (bytes !== undefined) return bytes;
  }
  throw new InputError("cli/not-built", `${what} is not built: run make build.`, { name });
}
