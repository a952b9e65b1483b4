/**
 * A folder of what commands found out, for those that come after (docs/adr/0014-kept-code.md). Always:
 * - Files are an aid alone. One that is missing or damaged, and a folder that cannot be written, change nothing but time.
 * - A file's name has the build's digest in it: no build reads what another one wrote. Witnesses are for every build.
 * - A finished file takes its name at once; whoever is last, of processes that end at the same time, stays.
 * - Some files hold machine code. A folder that is not this user's, or that others may write to, is not used at all: it is held
 *   open from when that was looked at, made so where it is missing, and each file is looked at again when it is opened.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { isAbsolute, join } from "node:path";
import { daysOfWitnesses } from "../base/index.ts";
import { behind, O_PATH } from "./held.ts";
import { makeFolders } from "./make-folders.ts";
import { readSealed, seal } from "./sealed.ts";
import { writeAll } from "./streams.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants;

/** Of each group together; the oldest go first. */
const groups = [
  { has: /^blackout-[0-9a-f]+-/, mostBytes: 256 << 20, mostDays: Number.POSITIVE_INFINITY },
  { has: /^witness-/, mostBytes: 64 << 20, mostDays: daysOfWitnesses },
] as const;
type Group = (typeof groups)[number];

const millisecondsOfDay = 24 * 3600 * 1000;

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

/** Whether nobody but this user puts anything there. */
const isOwn = ({ uid, mode }: fs.Stats): boolean => uid === process.geteuid?.() && (mode & othersMayWrite) === 0;

/** A descriptor of the folder; undefined: it is not there, or not this user's alone. */
let held: number | undefined;

function hold(make: boolean): number | undefined {
  const wanted = held === undefined ? folderOfCaches() : undefined;
  if (wanted === undefined) return held;
  try {
    if (make) makeFolders(wanted, 0o700);
    const fd = fs.openSync(wanted, O_PATH | O_DIRECTORY);
    if (isOwn(fs.fstatSync(fd))) held = fd;
    else fs.closeSync(fd);
  } catch {
    // Nothing is kept, then.
  }
  return held;
}

/** A path that leads to the file of this name; undefined where nothing is kept. */
function pathOf(name: string, make = false): string | undefined {
  const folder = hold(make);
  return folder === undefined ? undefined : `${behind(folder)}/${name}`;
}

/** Whether this is a build, which keeps things where it may. */
export const isBuilt = build !== undefined;

/** Whether anything can be kept. */
export const keepsFiles = (): boolean => hold(true) !== undefined;

/** The name of what is known about a file of the host's. */
export const cacheName = (about: string, kind: string): string =>
  `${build}-${createHash("sha256").update(about).digest("hex").slice(0, 16)}-${kind}`;

/** The name of a witness, by its digest. */
export const witnessName = (digest: string): string => `witness-${digest}`;

/** The file of this kind that was written last, about whatever. */
export function newestCache(kind: string): string | undefined {
  try {
    const files = newestFirst((name) => name.startsWith(`${build}-`) && name.endsWith(`-${kind}`));
    return files.find(({ size }) => size <= maxGuessBytes)?.name;
  } catch {
    return undefined;
  }
}

export function readCache(name: string): Buffer | undefined {
  const file = pathOf(name);
  return file === undefined ? undefined : readSealed(file, O_NOFOLLOW, isOwn);
}

/** Does nothing where the folder cannot be written, or its disk is full. */
export function writeCache(name: string, parts: readonly Uint8Array[]): void {
  const file = pathOf(name, true);
  if (file === undefined) return;
  // Threads of one process write at the same time, too.
  const unfinished = `${name}.${process.pid}.${process.hrtime.bigint()}`;
  try {
    writeParts(pathOf(unfinished)!, seal(parts));
    fs.renameSync(pathOf(unfinished)!, file);
    for (const group of groups) makeRoom(group);
  } catch {
    removeCache(unfinished);
  }
}

export function removeCache(name: string): void {
  try {
    const file = pathOf(name);
    if (file !== undefined) fs.rmSync(file, { force: true });
  } catch {
    // It stays, and is of as little use as before.
  }
}

function writeParts(file: string, parts: readonly Uint8Array[]): void {
  const target = fs.openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    for (const part of parts) writeAll(target, part);
  } finally {
    fs.closeSync(target);
  }
}

/** Also of what other builds wrote, and processes that were killed. */
function makeRoom({ has, mostBytes, mostDays }: Group): void {
  let bytes = 0;
  for (const { name, size, modified } of newestFirst((each) => has.test(each))) {
    bytes += size;
    if (bytes > mostBytes || Date.now() - modified > mostDays * millisecondsOfDay) removeCache(name);
  }
}

function newestFirst(isWanted: (name: string) => boolean) {
  const folder = hold(false);
  const names = folder === undefined ? [] : fs.readdirSync(behind(folder)).filter(isWanted);
  return names
    .map((name) => {
      const found = fs.lstatSync(pathOf(name)!, { throwIfNoEntry: false });
      return { name, size: found?.size ?? 0, modified: found?.mtimeMs ?? 0 };
    })
    .sort((a, b) => b.modified - a.modified);
}
