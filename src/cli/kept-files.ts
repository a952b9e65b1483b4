/**
 * Kept code in files, one for each program and way of lifting, so that a program's next run begins with what its last
 * one made of its code (docs/adr/0014-translations-on-disk.md). Always:
 * - Files are an aid alone. One that is missing or damaged, and a folder that cannot be written, change nothing but time.
 * - A file's name has the build's digest in it: no build reads what another one wrote.
 * - A finished file takes its name at once; whoever is last, of processes that end at the same time, stays.
 */
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { threadId } from "node:worker_threads";
import { writeAll } from "../host/index.ts";
import { KeptCode, type Lifting } from "../vm/index.ts";
import { atEnd } from "./endings.ts";
import { readSealed, seal } from "./sealed.ts";

/** Of all files together; the oldest go first. */
const maxFolderBytes = 256 << 20;

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
const folder = folderOfCaches();

const fileOf = (program: string, lifting: Lifting): string =>
  `${build}-${createHash("sha256").update(program).digest("hex").slice(0, 16)}-${lifting}`;

/** All that this thread's machines use, by file. */
const inUse = new Map<string, KeptCode>();

function read(file: string): KeptCode | undefined {
  const bytes = folder === undefined ? undefined : readSealed(join(folder, file));
  return bytes && KeptCode.from(bytes);
}

/** For machines that run the program which lies at `program` on the host. */
export const keptCodeOf =
  (program: string) =>
  (lifting: Lifting): KeptCode => {
    if (inUse.size === 0) atEnd(keepCode);
    const file = fileOf(program, lifting);
    const code = inUse.get(file) ?? read(file) ?? new KeptCode();
    inUse.set(file, code);
    return code;
  };

/** Writes what has come to the files in use. A full one, much of which is of no use to anybody by then, is begun anew. */
export function keepCode(): void {
  if (folder === undefined) return;
  for (const [file, code] of inUse) {
    try {
      if (code.isFull) rmSync(join(folder, file), { force: true });
      else if (code.hasGrown) write(folder, file, code);
    } catch {
      // The folder cannot be written, or its disk is full.
    }
  }
}

function write(folder: string, file: string, code: KeptCode): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unfinished = join(folder, `${file}.${process.pid}.${threadId}`);
  const target = openSync(unfinished, "w", 0o600);
  try {
    for (const part of seal(code.toParts())) writeAll(target, part);
    renameSync(unfinished, join(folder, file));
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  } finally {
    closeSync(target);
  }
  makeRoom(folder);
}

/** Also of what other builds wrote, and processes that were killed. */
function makeRoom(folder: string): void {
  const names = readdirSync(folder).filter((name) => /^blackout-[0-9a-f]+-/.test(name));
  const files = names.map((name) => join(folder, name)).map((path) => ({ path, ...statOf(path) }));
  files.sort((a, b) => b.modified - a.modified);
  let bytes = 0;
  for (const { path, size } of files) {
    bytes += size;
    if (bytes > maxFolderBytes) rmSync(path, { force: true });
  }
}

function statOf(path: string): { readonly size: number; readonly modified: number } {
  const found = statSync(path, { throwIfNoEntry: false });
  return { size: found?.size ?? 0, modified: found?.mtimeMs ?? 0 };
}
