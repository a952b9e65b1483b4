/**
 * Files that programs map shared though they are no persistent memory: they hold locks and indices that are made anew after a crash.
 * Judged as persistent memory they give findings that nobody can do anything about.
 */
import { baseName } from "../../base/index.ts";
import type { FileUse } from "./file-use.ts";

interface VolatileKind {
  readonly pattern: RegExp;
  /** "pool.db-shm is …" */
  readonly is: string;
}

const kinds: readonly VolatileKind[] = [
  { pattern: /-shm$/, is: "SQLite's index of its write-ahead log" },
  { pattern: /^lock\.mdb$|\.mdb-lock$/, is: "LMDB's table of readers" },
  { pattern: /^__db\.\d+$/, is: "Berkeley DB's environment" },
  { pattern: /^sem\./, is: "a semaphore" },
  { pattern: /^memfd:.* \(deleted\)$/, is: "memory without a file" },
];

/** A line for each such file that was taken for persistent memory; none where the user named what is. */
export function volatileFileLines({ persistent }: FileUse, pm: readonly string[]): readonly string[] {
  if (pm.length > 0) return [];
  return persistent.flatMap((path) => {
    const kind = kinds.find(({ pattern }) => pattern.test(baseName(path)));
    if (kind === undefined) return [];
    return [
      `${path} is judged as persistent memory, and is ${kind.is}, which no crash leaves: name your files with --pm GLOB`,
    ];
  });
}
