/** A whole crash state as plain data, to be run anywhere: what a crash before an event leaves with these cuts. */

import {
  dataIn,
  type FileContents,
  type LineContents,
  type Machine,
  pathFromText,
  poolFileIn,
} from "../../machine/index.ts";
import { lineBytes, piecesAt } from "../../model/pmem/index.ts";
import type { CutChoice } from "./choice.ts";
import { type CrashStep, pointOf } from "./crash-steps.ts";
import { versionOf } from "./files.ts";
import { checkLegal } from "./legal-states.ts";
import { operationAfter } from "./operations.ts";
import type { PointId } from "./points.ts";
import type { Layout } from "./recovery-machine.ts";
import { type CrashSource, poolsOf } from "./source.ts";
import { type CutLine, contentsOf, nothingLost } from "./states.ts";
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

export function layoutOf(
  source: CrashSource,
  point: PointId,
  { lines, mappings, acknowledged }: Moment,
  cuts: readonly CutLine[],
): Layout {
  checkLegal(source, point.seq, lines, { background: nothingLost, named: cuts });
  const { versions } = source;
  const version = versionOf(versions, point);
  return {
    version: version + (source.firstVersion ?? 0),
    files: () => versions.read(version),
    lines: [...contentsOf(lines, cuts)].map(({ file, index, bytes }) => ({
      path: pathFromText(mappings.path(file)),
      index,
      bytes: bytes.slice(),
    })),
    acknowledged: acknowledged.slice(),
    operation: operationAfter(source.operations, point.seq),
    persistent: poolsOf(source).map(pathFromText),
  };
}

/** What the crash leaves that a witness names, and its cuts; undefined where it cannot. `moment`: before the step's event. */
export function crashedAt(
  source: CrashSource,
  moment: Moment,
  step: CrashStep,
): { readonly layout: Layout; readonly cuts: readonly CutLine[] } | undefined {
  const cuts = cutsOf(moment, step.cuts);
  return cuts && { layout: layoutOf(source, pointOf(step), moment, cuts), cuts };
}

/** A file of which only the parts are named that hold something. */
export interface SparseFile {
  readonly size: number;
  readonly parts: Iterable<{ readonly offset: number; readonly bytes: Uint8Array }>;
}

const pageBytes = 4096;
/** Read at once. */
const pagesAtOnce = 256;

/**
 * The files that a crash leaves otherwise than the host has them, by path. Parts that come later lie over earlier ones.
 * `host` has the contents of files that only stores through mappings changed.
 */
export function crashedFiles(
  { files, lines }: Layout,
  machine: Pick<Machine, "readContents">,
  host: (path: string) => FileContents | undefined,
): ReadonlyMap<string, SparseFile> {
  const version = files();
  const crashed = new Map<string, SparseFile>();
  const keep = (path: string, pool: string, contents: FileContents | undefined): void => {
    if (contents === undefined) return;
    const { size } = contents;
    const own = [...lines].filter((line) => line.path === pool && line.index * lineBytes < size);
    crashed.set(path, { size, parts: partsOf(contents, own, machine) });
  };
  for (const [path, entry] of version) if (entry.kind === "file") keep(path, entry.pool ?? path, entry.contents);
  const stored = new Set([...lines].map(({ path }) => path));
  for (const pool of stored) if (poolFileIn(version, pool) === "host") keep(pool, pool, host(pool));
  return crashed;
}

function* partsOf(
  contents: FileContents,
  lines: readonly LineContents[],
  machine: Pick<Machine, "readContents">,
): SparseFile["parts"] {
  for (const [from, to] of dataIn(contents))
    for (let page = from; page < to; page += pagesAtOnce) {
      const offset = page * pageBytes;
      const bytes = new Uint8Array(Math.min(Math.min(to - page, pagesAtOnce) * pageBytes, contents.size - offset));
      machine.readContents(contents, offset, bytes);
      yield { offset, bytes };
    }
  for (const { index, bytes } of lines) {
    const offset = index * lineBytes;
    yield { offset, bytes: bytes.subarray(0, contents.size - offset) };
  }
}
