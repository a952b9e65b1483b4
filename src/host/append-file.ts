/**
 * A file of lines that is only ever appended to, each line in one write, in a folder of its own. Always:
 * - No symbolic link is followed, neither for the folder nor in it (own-folder.ts).
 * - Whoever creates it anew takes its name; a process that still writes to the old one does so unseen.
 * - One process at a time goes on with one: a lock beside it names that process (process-lock.ts).
 * - What cannot be read or written is the user's to mend: a sentence.
 */
import * as fs from "node:fs";
import { InputError } from "../base/index.ts";
import { errorCode } from "./errors.ts";
import { OwnFolder, reasonOf } from "./own-folder.ts";
import { ProcessLock } from "./process-lock.ts";
import { readIfRegular } from "./whole-files.ts";

const { O_APPEND, O_NOFOLLOW, O_WRONLY } = fs.constants;

/** A string of V8 has at most 2^29 characters. */
const readMax = 2 ** 28;

const unusable = (folder: string, how: string, reason: string) =>
  new InputError(
    "check/journal",
    `The journal in ${folder} cannot be ${how} (${reason}): name another directory with --journal, or give --no-journal.`,
    { folder },
  );

const isOurs = (error: unknown): boolean => error instanceof InputError && error.code.startsWith("check/");

/** Undefined when there is none. */
export function readAppended(path: string, name: string): string | undefined {
  try {
    const folder = OwnFolder.open(path);
    try {
      if (fs.lstatSync(folder.entry(name), { throwIfNoEntry: false }) === undefined) return undefined;
      const bytes = readIfRegular(folder.entry(name), readMax, O_NOFOLLOW);
      if (bytes === undefined) throw unusable(path, "read", "it is no regular file, too large, or not permitted");
      return new TextDecoder().decode(bytes);
    } finally {
      folder.close();
    }
  } catch (error) {
    if (isOurs(error)) throw error;
    const reason = reasonOf(error);
    if (reason === "ENOENT") return undefined;
    throw unusable(path, "read", reason);
  }
}

const lockOf = (name: string): string => `${name}.lock`;

export class AppendFile {
  readonly #path: string;
  readonly #folder: OwnFolder;
  readonly #name: string;
  readonly #fd: number;
  readonly #lock: ProcessLock;

  private constructor(path: string, folder: OwnFolder, name: string, fd: number, lock: ProcessLock) {
    this.#path = path;
    this.#folder = folder;
    this.#name = name;
    this.#fd = fd;
    this.#lock = lock;
  }

  /** In place of one that is there. */
  static create(path: string, name: string): AppendFile {
    return AppendFile.#open(path, OwnFolder.make, (folder) => {
      const lock = ProcessLock.seize(folder.entry(lockOf(name)));
      return new AppendFile(path, folder, name, folder.create(name, O_WRONLY | O_APPEND, 0o600), lock);
    });
  }

  /** Goes on after its first so many bytes. */
  static resume(path: string, name: string, bytes: number): AppendFile {
    return AppendFile.#open(path, OwnFolder.open, (folder) => {
      const lock = ProcessLock.take(folder.entry(lockOf(name)));
      if (typeof lock === "number")
        throw new InputError(
          "check/journal-in-use",
          `The journal in ${path} is in use by another check, process ${lock}: wait for it, or name another directory with --journal.`,
          { folder: path, process: lock },
        );
      const fd = fs.openSync(folder.entry(name), O_WRONLY | O_APPEND | O_NOFOLLOW);
      fs.ftruncateSync(fd, bytes);
      return new AppendFile(path, folder, name, fd, lock);
    });
  }

  static #open(path: string, hold: (path: string) => OwnFolder, open: (folder: OwnFolder) => AppendFile): AppendFile {
    let folder: OwnFolder | undefined;
    try {
      folder = hold(path);
      return open(folder);
    } catch (error) {
      folder?.close();
      throw isOurs(error) ? error : unusable(path, "written", reasonOf(error));
    }
  }

  append(line: string): void {
    const bytes = new TextEncoder().encode(line);
    try {
      if (fs.writeSync(this.#fd, bytes) < bytes.length) throw unusable(this.#path, "written", "ENOSPC");
    } catch (error) {
      throw error instanceof InputError ? error : unusable(this.#path, "written", errorCode(error));
    }
  }

  close(): void {
    fs.closeSync(this.#fd);
    this.#lock.release();
    this.#folder.close();
  }

  /** Closes it and takes it away, unless another file has its name by now; the folder goes if nothing else is in it. */
  remove(): void {
    const file = this.#folder.entry(this.#name);
    const ours = fs.fstatSync(this.#fd).ino === fs.lstatSync(file, { throwIfNoEntry: false })?.ino;
    if (ours) fs.rmSync(file, { force: true });
    this.close();
    if (!ours) return;
    try {
      fs.rmdirSync(this.#path);
    } catch {
      // Something else is in it.
    }
  }
}
