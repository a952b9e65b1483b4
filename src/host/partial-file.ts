/**
 * Files that are written over a while and take their name once they are whole. Always:
 * - A regular file is whole or not there: written under another name beside it, then renamed. After a failure, a full disk or a
 *   kill, the old file is still there; what a killed process left is cleared when its file is written next, a day later.
 * - A symbolic link is not followed: whoever may write to the folder could have put it there. Our own streams, as /dev/stdout, are
 *   written to as they are; devices and pipes are opened.
 */
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { InputError, printable } from "../base/index.ts";
import { errorCode } from "./errors.ts";
import { behind, O_PATH } from "./held.ts";
import { inTheWay } from "./own-folder.ts";
import { ownStream } from "./own-streams.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = fs.constants;

export const unwritable = (file: string, error: unknown): InputError =>
  error instanceof InputError
    ? error
    : new InputError(
        "host/unwritable",
        `${printable(file)} cannot be written (${errorCode(error)}): make room there, or name another place.`,
        { file },
      );

export interface PartialFile {
  readonly fd: number;
  /** The file takes its name. */
  finish(): void;
  /** Nothing of it stays. */
  abandon(): void;
}

const leftAlone = (): void => undefined;

export function beginFile(file: string): PartialFile {
  const stream = ownStream(file);
  if (stream !== undefined) return { fd: stream, finish: leftAlone, abandon: leftAlone };
  try {
    // "link/." would lead behind the link.
    const path = resolve(file);
    const folder = fs.openSync(dirname(path), O_PATH | O_DIRECTORY);
    try {
      return beginIn(folder, basename(path), file);
    } catch (error) {
      fs.closeSync(folder);
      throw error;
    }
  } catch (error) {
    throw unwritable(file, error);
  }
}

function beginIn(folder: number, name: string, told: string): PartialFile {
  const target = `${behind(folder)}/${name}`;
  const found = fs.lstatSync(target, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) throw inTheWay(told, "is a symbolic link");
  if (found !== undefined && !found.isFile()) {
    const fd = openDevice(target, told);
    fs.closeSync(folder);
    return { fd, finish: () => fs.closeSync(fd), abandon: () => fs.closeSync(fd) };
  }
  clearLeftovers(behind(folder), name);
  return new RenamedFile(folder, name, (found?.mode ?? 0o666) & 0o777);
}

/** A pipe that nobody reads is refused (ENXIO), where opening it would wait for ever; nor does a file become one meanwhile. */
function openDevice(target: string, told: string): number {
  const looked = fs.openSync(target, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (fs.fstatSync(looked).isFile()) throw inTheWay(told, "changed meanwhile");
    return fs.openSync(behind(looked), O_WRONLY);
  } finally {
    fs.closeSync(looked);
  }
}

const letters = 200;
const beginning = (name: string): string => `.${name.slice(0, letters)}.`;
const ending = ".partial";

class RenamedFile implements PartialFile {
  readonly fd: number;
  readonly #folder: number;
  readonly #name: string;
  /** Not by the process's number: in containers, each is the first. */
  readonly #partial: string;
  #isOpen = true;

  constructor(folder: number, name: string, mode: number) {
    this.#folder = folder;
    this.#name = name;
    this.#partial = `${beginning(name)}${randomUUID()}${ending}`;
    this.fd = fs.openSync(this.#entry(this.#partial), "wx", mode);
  }

  #entry(name: string): string {
    return `${behind(this.#folder)}/${name}`;
  }

  finish(): void {
    fs.renameSync(this.#entry(this.#partial), this.#entry(this.#name));
    this.#close();
  }

  abandon(): void {
    if (!this.#isOpen) return;
    fs.rmSync(this.#entry(this.#partial), { force: true });
    this.#close();
  }

  #close(): void {
    this.#isOpen = false;
    fs.closeSync(this.#folder);
    fs.closeSync(this.fd);
  }
}

/** Whoever still writes to one does so more often. */
const leftoverMilliseconds = 24 * 3600 * 1000;

/** What killed processes left of this file. */
function clearLeftovers(folder: string, name: string): void {
  try {
    for (const each of fs.readdirSync(folder))
      if (each.startsWith(beginning(name)) && each.endsWith(ending) && isLeftover(`${folder}/${each}`))
        fs.rmSync(`${folder}/${each}`, { force: true });
  } catch {
    // They stay; they are in nobody's way.
  }
}

function isLeftover(path: string): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.uid !== process.geteuid?.()) return false;
  return Date.now() - found.mtimeMs > leftoverMilliseconds;
}
