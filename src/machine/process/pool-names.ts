/**
 * The lasting names of files that are mapped as persistent memory. Always:
 * - A pool is a file, whatever its names: the name that it had when it became a pool stays its name in the trace, in crash
 *   states and in recoveries, though it is renamed, linked or removed.
 * - No two files share a name, also not one after another: a second file that is found at a known name is `NAME#2`. Nor does
 *   a file get the name of a pool that a crash left without one.
 */
import type { InodeId } from "../files/index.ts";

export interface PoolNames {
  readonly known: ReadonlyMap<InodeId, string>;
  /** Of pools that have no file any more. */
  readonly gone: ReadonlySet<string>;
}

/** The name of the pool that a file is, or that it would be if it were mapped now, being found at `path`. */
export function poolNameOf({ known, gone }: PoolNames, inode: InodeId, path: string): string {
  const own = known.get(inode);
  if (own !== undefined) return own;
  const taken = new Set(known.values());
  let name = path;
  for (let number = 2; taken.has(name) || gone.has(name); number++) name = `${path}#${number}`;
  return name;
}

/** The file that has a name. */
export function inodeNamed({ known }: PoolNames, name: string): InodeId | undefined {
  for (const [inode, own] of known) if (own === name) return inode;
  return undefined;
}
