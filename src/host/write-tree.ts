/** Files written below a folder, each where its own path says. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { InputError } from "../base/index.ts";
import { errorCode } from "./errors.ts";

export function writeTree(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const [path, bytes] of files) {
      const file = join(folder, join("/", path));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
    }
  } catch (error) {
    throw new InputError("cli/unwritable", `${folder} cannot be written (${errorCode(error)}).`, { folder });
  }
}
