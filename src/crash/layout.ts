/** A whole crash state as plain data, to be run anywhere: what a crash before an event leaves with these cuts. */

import { lineBytes, type TrackedLine } from "../pmem/index.ts";
import type { CutChoice } from "./choice.ts";
import type { Layout } from "./recovery.ts";
import type { CrashSource } from "./source.ts";
import { contentsOf } from "./states.ts";
import type { Moment } from "./walk.ts";

/** The lines that the cuts are of; undefined when a crash at this moment cannot leave them so. */
export function cutsOf({ lines, mappings }: Moment, cuts: readonly CutChoice[]): readonly TrackedLine[] | undefined {
  const found = cuts.map((cut) =>
    lines.open.find(
      ({ file, index, durable }) => index === cut.line && mappings.path(file) === cut.path && durable === cut.kept,
    ),
  );
  return found.every((line) => line !== undefined) ? found : undefined;
}

/** `guestPath` goes from the trace's path of a persistent file to the name the machine knows. */
export function layoutOf(
  { versions }: CrashSource,
  seq: number,
  { lines, mappings, acknowledged }: Moment,
  lost: readonly TrackedLine[],
  guestPath: (path: string) => string,
): Layout {
  const version = versions.versionAt(seq);
  return {
    version,
    files: () => versions.read(version),
    lines: [...contentsOf(lines, lost)].map(({ file, index, bytes }) => ({
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
