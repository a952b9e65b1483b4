/** Files written below a folder, each where its own path says. */
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { InputError } from "../base/index.ts";
import { errorCode } from "./errors.ts";
import { makeFolders } from "./make-folders.ts";

/** What lies between the parts is a hole; later parts lie over earlier ones. */
interface SparseFile {
  readonly size: number;
  readonly parts: Iterable<{ readonly offset: number; readonly bytes: Uint8Array }>;
}

export function writeTree(folder: string, files: ReadonlyMap<string, SparseFile>): void {
  try {
    makeFolders(folder);
    for (const [path, sparse] of files) {
      const file = join(folder, join("/", path));
      makeFolders(dirname(file));
      writeSparse(file, sparse);
    }
  } catch (error) {
    throw new InputError("cli/unwritable", `${folder} cannot be written (${errorCode(error)}).`, { folder });
  }
}

function writeSparse(path: string, { size, parts }: SparseFile): void {
  const file = openSync(path, "w");
  try {
    ftruncateSync(file, size);
    for (const { offset, bytes } of parts) writeSync(file, bytes, 0, bytes.length, offset);
  } finally {
    closeSync(file);
  }
}
