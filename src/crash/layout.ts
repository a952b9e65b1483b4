/** A whole crash state as plain data, to be run anywhere: what a crash before an event leaves with these cuts. */

import { lineBytes, piecesAt } from "../pmem/index.ts";
import type { CutChoice } from "./choice.ts";
import { versionOf } from "./files.ts";
import type { FailurePoint } from "./points.ts";
import type { Layout } from "./recovery.ts";
import type { CrashSource } from "./source.ts";
import { type CutLine, contentsOf } from "./states.ts";
import type { Moment } from "./walk.ts";

/** A choice as the cut of a line at this moment; undefined when a crash cannot leave it so. */
function cutOf({ lines, mappings }: Moment, { path, line: index, kept, pieces = [] }: CutChoice): CutLine | undefined {
  const line = lines.open.find((each) => each.index === index && mappings.path(each.file) === path);
  if (line === undefined) return undefined;
  const cut = { kept: kept - line.durable, pieces: pieces.reduce((mask, piece) => mask | (1 << piece), 0) };
  if (cut.kept < 0 || cut.kept > line.pending.length) return undefined;
  const isWhole = cut.kept === line.pending.length || pieces.length === 0;
  return isWhole || cut.pieces < 2 ** piecesAt(line, cut.kept) ? { line, cut } : undefined;
}

/** The cut lines that choices mean at this moment; undefined when a crash cannot leave them so. */
export function cutsOf(moment: Moment, choices: readonly CutChoice[]): readonly CutLine[] | undefined {
  const cuts = choices.map((choice) => cutOf(moment, choice));
  return cuts.every((cut) => cut !== undefined) ? cuts : undefined;
}

/** What a witness says of a line's cut. */
export const choiceOf = ({ line, cut }: CutLine, { mappings }: Moment): CutChoice => ({
  kind: "cut",
  path: mappings.path(line.file),
  line: line.index,
  kept: line.durable + cut.kept,
  ...(cut.pieces !== 0 && { pieces: bitsOf(cut.pieces) }),
});

const bitsOf = (mask: number): number[] => [...Array(32).keys()].filter((bit) => (mask >>> bit) & 1);

/** `guestPath` goes from the trace's path of a persistent file to the name the machine knows. */
export function layoutOf(
  { versions }: CrashSource,
  point: Pick<FailurePoint, "seq" | "version">,
  { lines, mappings, acknowledged }: Moment,
  cuts: readonly CutLine[],
  guestPath: (path: string) => string,
): Layout {
  const version = versionOf(versions, point);
  return {
    version,
    files: () => versions.read(version),
    lines: [...contentsOf(lines, cuts)].map(({ file, index, bytes }) => ({
      path: guestPath(mappings.path(file)),
      index,
      bytes: bytes.slice(),
    })),
    acknowledged: acknowledged.slice(),
  };
}

/** The persistent files as a crash leaves them, by path. */
export function crashedFiles({ files, lines }: Layout): ReadonlyMap<string, Uint8Array> {
  const version = files();
  const crashed = new Map<string, Uint8Array>();
  for (const { path, index, bytes: line } of lines) {
    const entry = version.get(path);
    if (entry?.kind !== "file") continue;
    const bytes = crashed.get(path) ?? entry.bytes.slice();
    crashed.set(path, bytes);
    const at = index * lineBytes;
    if (at < bytes.length) bytes.set(line.subarray(0, bytes.length - at), at);
  }
  return crashed;
}
