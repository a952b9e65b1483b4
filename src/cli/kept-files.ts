/**
 * Kept code in files, one for each program and way of lifting, so that a program's next run begins with what its last
 * one made of its code (docs/adr/0014-kept-code.md).
 */
import { KeptCode, type Lifting } from "../vm/index.ts";
import { cacheName, newestCache, readCache, removeCache, writeCache } from "./cache-folder.ts";
import { atEnd } from "./endings.ts";

/** All that this thread's machines use, by file. */
const inUse = new Map<string, KeptCode>();

function read(file: string): KeptCode | undefined {
  const bytes = readCache(file);
  return bytes && KeptCode.from(bytes);
}

/** A new program often has its libraries where another one has them, and what is not the same is not used. */
function ofAnother(lifting: Lifting): KeptCode | undefined {
  const file = newestCache(lifting);
  return file === undefined ? undefined : read(file);
}

/** For machines that run the program which lies at `program` on the host. */
export const keptCodeOf =
  (program: string) =>
  (lifting: Lifting): KeptCode => {
    if (inUse.size === 0) atEnd(keepCode);
    const file = cacheName(program, lifting);
    const code = inUse.get(file) ?? read(file) ?? ofAnother(lifting) ?? new KeptCode();
    inUse.set(file, code);
    return code;
  };

/** Writes what has come to the files in use. A full one, much of which is of no use to anybody by then, is begun anew. */
export function keepCode(): void {
  for (const [file, code] of inUse) {
    if (code.isFull) removeCache(file);
    else if (code.hasGrown) writeCache(file, code.toParts());
  }
}
