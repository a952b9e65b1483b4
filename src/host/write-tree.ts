/** Files written below a folder, each where its own path says; no link is followed there (own-folder.ts). */
import { closeSync, constants, fchmodSync, ftruncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { InputError, printable } from "../base/index.ts";
import { errorCode } from "./errors.ts";
import { OwnFolder } from "./own-folder.ts";

/** What lies between the parts is a hole; later parts lie over earlier ones. */
export interface TreeFile {
  readonly size: number;
  readonly parts: Iterable<{ readonly offset: number; readonly bytes: Uint8Array }>;
  /** Whether it is a program. */
  readonly runs?: boolean;
}

export const wholeFile = (bytes: Uint8Array, runs = false): TreeFile => ({
  size: bytes.length,
  parts: [{ offset: 0, bytes }],
  runs,
});

export function writeTree(folder: string, files: ReadonlyMap<string, TreeFile>): void {
  try {
    const top = OwnFolder.make(folder);
    try {
      for (const [path, file] of files) writeBelow(top, join("/", path).split("/").slice(1), file);
    } finally {
      top.close();
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError("cli/unwritable", `${printable(folder)} cannot be written (${errorCode(error)}).`, { folder });
  }
}

function writeBelow(top: OwnFolder, [name = "", ...rest]: readonly string[], file: TreeFile): void {
  if (rest.length === 0) return writeSparse(top, name, file);
  const below = top.folder(name);
  try {
    writeBelow(below, rest, file);
  } finally {
    below.close();
  }
}

function writeSparse(folder: OwnFolder, name: string, { size, parts, runs }: TreeFile): void {
  const file = folder.create(name, constants.O_WRONLY);
  try {
    if (runs) fchmodSync(file, 0o700);
    ftruncateSync(file, size);
    for (const { offset, bytes } of parts)
      for (let done = 0; done < bytes.length; )
        done += writeSync(file, bytes, done, bytes.length - done, offset + done);
  } finally {
    closeSync(file);
  }
}
