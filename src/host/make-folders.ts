/** Folders on the host, with all that lead to them. */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "./errors.ts";

/**
 * Not Node's `recursive`: below /proc mkdir says ENOENT of a folder whose parent is there, and Node 20 then makes the
 * parent and tries again, for ever.
 */
export function makeFolders(folder: string, mode = 0o777): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder && !existsSync(parent)) makeFolders(parent, mode);
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (errorCode(error) !== "EEXIST" || !isFolder(folder)) throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
