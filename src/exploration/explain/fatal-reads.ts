/**
 * Which of recovery's reads are fatal: it runs again with other bytes there. Such states are tried to find out what a failure
 * is due to; no crash need be able to leave them, and they count nowhere.
 */
import type { Layout, RecoveryEnd } from "../../crash/states/index.ts";
import { lineBytes } from "../../model/pmem/index.ts";
import type { FirstRead, RecoveryReads } from "../../session/subject/index.ts";

/** Lines by file and number, as they might have been. */
export type OtherLines = ReadonlyMap<string, Uint8Array>;
export const lineName = (path: string, index: number): string => `${path} ${index}`;

/** Reads that are tried, and instructions that may go into trying. */
const mostReads = 16;
const mostInstructions = 60_000_000;

const lineOf = ({ path, offset }: FirstRead): string => lineName(path, Math.floor(offset / lineBytes));

/** The layout with other bytes where these reads look. */
function answered(layout: Layout, reads: readonly FirstRead[], others: OtherLines): Layout {
  const lines = [...layout.lines].map((line) => {
    const other = others.get(lineName(line.path, line.index));
    const own = reads.filter((read) => lineOf(read) === lineName(line.path, line.index));
    if (other === undefined || own.length === 0) return line;
    const bytes = line.bytes.slice();
    for (const { offset, size } of own) {
      const from = offset % lineBytes;
      bytes.set(other.subarray(from, from + size), from);
    }
    return { ...line, bytes };
  });
  return { ...layout, lines };
}

export interface Trial {
  readonly layout: Layout;
  readonly expectExit: number;
  fails(ended: RecoveryEnd): boolean;
}

/** Those of `reads`, which see other bytes than `others` has, that recovery fails by: each alone, else the first ones together. */
export function fatalReads(
  recoveries: RecoveryReads,
  { layout, expectExit, fails }: Trial,
  reads: readonly FirstRead[],
  others: OtherLines,
): ReadonlySet<FirstRead> {
  const ended = recoveries.end(layout, expectExit);
  if (!fails(ended)) return new Set();
  const tried = reads.slice(0, Math.min(mostReads, Math.ceil(mostInstructions / Math.max(1, ended.instructions))));
  const isCured = (some: readonly FirstRead[]) => !fails(recoveries.end(answered(layout, some, others), expectExit));
  const alone = tried.filter((read) => isCured([read]));
  if (alone.length > 0) return new Set(alone);
  for (let count = 2; count <= tried.length; count++)
    if (isCured(tried.slice(0, count))) return new Set(tried.slice(0, count));
  return new Set();
}
