/**
 * A folder of what commands found out, for those that come after (docs/adr/0014-kept-code.md). Always:
 * - Files are an aid alone. One that is missing or damaged, and a folder that cannot be written, change nothing but time.
 * - A file's name has the build's digest in it: no build reads what another one wrote.
 * - A finished file takes its name at once; whoever is last, of processes that end at the same time, stays.
 * - Some files hold machine code. A folder that is not this user's, or that others may write to, is not used at all.
 */
import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { makeFolders } from "./make-folders.ts";
import { readSealed, seal } from "./sealed.ts";
import { writeAll } from "./streams.ts";

/** Of all files together; the oldest go first. */
const maxFolderBytes = 256 << 20;

const othersMayWrite = 0o022;

/** A larger file is not read on the off chance that another program can use it. */
const maxGuessBytes = 12 << 20;

/** The bundle's name, which has its digest in it; undefined when Blackout runs from its sources. */
const build = /\/(blackout-[0-9a-f]+)\.cjs$/.exec(import.meta.url)?.[1];

/** $BLACKOUT_CACHE, or a folder of ours among the user's caches; undefined: nothing is kept. */
function folderOfCaches(): string | undefined {
  const { BLACKOUT_CACHE: own, XDG_CACHE_HOME: caches, HOME: home } = process.env;
  if (build === undefined || own === "off") return undefined;
  if (own) return own;
  if (caches && isAbsolute(caches)) return join(caches, "blackout");
  return home && isAbsolute(home) ? join(home, ".cache/blackout") : undefined;
}

/** Whether nobody but this user puts anything there. One that is missing is made so. */
function isOwn(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found === undefined || (found.uid === process.geteuid?.() && (found.mode & othersMayWrite) === 0);
}

function usableFolder(): string | undefined {
  const wanted = folderOfCaches();
  try {
    return wanted !== undefined && isOwn(wanted) ? wanted : undefined;
  } catch {
    return undefined;
  }
}
const folder = usableFolder();

/** Whether there is a folder at all. */
export const keepsFiles = folder !== undefined;

/** The name of what is known about a file of the host's. */
export const cacheName = (about: string, kind: string): string =>
  `${build}-${createHash("sha256").update(about).digest("hex").slice(0, 16)}-${kind}`;

/** The file of this kind that was written last, about whatever. */
export function newestCache(kind: string): string | undefined {
  try {
    if (folder === undefined) return undefined;
    const files = newestFirst(folder, (name) => name.startsWith(`${build}-`) && name.endsWith(`-${kind}`));
    return files.find(({ size }) => size <= maxGuessBytes)?.name;
  } catch {
    return undefined;
  }
}

export const readCache = (name: string): Buffer | undefined =>
  folder === undefined ? undefined : readSealed(join(folder, name));

/** Does nothing where the folder cannot be written, or its disk is full. */
export function writeCache(name: string, parts: readonly Uint8Array[]): void {
  if (folder === undefined) return;
  // Threads of one process write at the same time, too.
  const unfinished = `${name}.${process.pid}.${process.hrtime.bigint()}`;
  try {
    makeFolders(folder, 0o700);
    writeParts(join(folder, unfinished), seal(parts));
    renameSync(join(folder, unfinished), join(folder, name));
    makeRoom(folder);
  } catch {
    removeCache(unfinished);
  }
}

export function removeCache(name: string): void {
  try {
    if (folder !== undefined) rmSync(join(folder, name), { force: true });
  } catch {
    // It stays, and is of as little use as before.
  }
}

function writeParts(file: string, parts: readonly Uint8Array[]): void {
  const target = openSync(file, "w", 0o600);
  try {
    for (const part of parts) writeAll(target, part);
  } finally {
    closeSync(target);
  }
}

/** Also of what other builds wrote, and processes that were killed. */
function makeRoom(folder: string): void {
  let bytes = 0;
  for (const { name, size } of newestFirst(folder, (name) => /^blackout-[0-9a-f]+-/.test(name))) {
    bytes += size;
    if (bytes > maxFolderBytes) rmSync(join(folder, name), { force: true });
  }
}

function newestFirst(folder: string, isWanted: (name: string) => boolean) {
  const files = readdirSync(folder).filter(isWanted);
  return files
    .map((name) => {
      const found = statSync(join(folder, name), { throwIfNoEntry: false });
      return { name, size: found?.size ?? 0, modified: found?.mtimeMs ?? 0 };
    })
    .sort((a, b) => b.modified - a.modified);
}
