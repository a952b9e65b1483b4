/** Where the files of pools are in a version: a pool is known by its lasting name (process/pool-names.ts). */
import type { FileEntry, FileVersion } from "./carry.ts";

/** A pool's file: one of the version's own, the host's at the path that is the pool's name, or none. */
export type PoolFile = FileInVersion | "host" | "gone";
export type FileInVersion = Extract<FileEntry, { readonly kind: "file" }>;

/** What a version has of pools, by name; made once for each version. */
const poolFiles = new WeakMap<FileVersion, ReadonlyMap<string, readonly [path: string, file: FileInVersion]>>();

function poolsIn(version: FileVersion): ReadonlyMap<string, readonly [path: string, file: FileInVersion]> {
  const known = poolFiles.get(version);
  if (known !== undefined) return known;
  const pools = new Map<string, readonly [path: string, file: FileInVersion]>();
  for (const [path, entry] of version) {
    if (entry.kind !== "file") continue;
    const name = entry.pool ?? path;
    if (!pools.has(name)) pools.set(name, [path, entry]);
  }
  poolFiles.set(version, pools);
  return pools;
}

export function poolFileIn(version: FileVersion, pool: string): PoolFile {
  return poolsIn(version).get(pool)?.[1] ?? (version.has(pool) ? "gone" : "host");
}

/** Where a pool is found in a version; undefined when no name leads to it. */
export function poolPathIn(version: FileVersion, pool: string): string | undefined {
  return poolsIn(version).get(pool)?.[0] ?? (version.has(pool) ? undefined : pool);
}

/** Whether a pool is the same file with the same contents in two versions of one history. */
export function isSamePool(before: FileVersion, after: FileVersion, pool: string): boolean {
  const [old, now] = [poolFileIn(before, pool), poolFileIn(after, pool)];
  return typeof old === "object" && typeof now === "object" ? old.number === now.number : old === now;
}
