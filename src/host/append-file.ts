/**
 * A file of lines that is only ever appended to, each line in one write, in a folder of its own. Always:
 * - Whoever creates it anew takes its name; a process that still writes to the old one does so unseen.
 * - One process at a time goes on with one: a lock beside it names that process (process-lock.ts).
 * - What cannot be read or written is the user's to mend: a sentence.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import { InputError } from "../base/index.ts";
import { errorCode } from "./errors.ts";
import { makeFolders } from "./make-folders.ts";
import { ProcessLock } from "./process-lock.ts";
import { readIfRegular } from "./whole-files.ts";

/** A string of V8 has at most 2^29 characters. */
const readMax = 2 ** 28;

const unusable = (folder: string, how: string, reason: string) =>
  new InputError(
    "check/journal",
    `The journal in ${folder} cannot be ${how} (${reason}): name another directory with --journal, or give --no-journal.`,
    { folder },
  );

/** Undefined when there is none. */
export function readAppended(folder: string, name: string): string | undefined {
  const file = join(folder, name);
  if (fs.statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const bytes = readIfRegular(file, readMax);
  if (bytes === undefined) throw unusable(folder, "read", "it is no regular file, too large, or not permitted");
  return new TextDecoder().decode(bytes);
}

export class AppendFile {
  readonly #folder: string;
  readonly #name: string;
  readonly #fd: number;
  readonly #lock: ProcessLock;

  private constructor(folder: string, name: string, fd: number, lock: ProcessLock) {
    this.#folder = folder;
    this.#name = name;
    this.#fd = fd;
    this.#lock = lock;
  }

  /** In place of one that is there. */
  static create(folder: string, name: string): AppendFile {
    try {
      makeFolders(folder);
      const lock = ProcessLock.seize(join(folder, `${name}.lock`));
      fs.rmSync(join(folder, name), { force: true });
      return new AppendFile(folder, name, fs.openSync(join(folder, name), "ax", 0o600), lock);
    } catch (error) {
      throw unusable(folder, "written", errorCode(error));
    }
  }

  /** Goes on after its first so many bytes. */
  static resume(folder: string, name: string, bytes: number): AppendFile {
    try {
      const lock = ProcessLock.take(join(folder, `${name}.lock`));
      if (typeof lock === "number")
        throw new InputError(
          "check/journal-in-use",
          `The journal in ${folder} is in use by another check, process ${lock}: wait for it, or name another directory with --journal.`,
          { folder, process: lock },
        );
      fs.truncateSync(join(folder, name), bytes);
      return new AppendFile(folder, name, fs.openSync(join(folder, name), "a"), lock);
    } catch (error) {
      throw error instanceof InputError ? error : unusable(folder, "written", errorCode(error));
    }
  }

  append(line: string): void {
    const bytes = new TextEncoder().encode(line);
    try {
      if (fs.writeSync(this.#fd, bytes) < bytes.length) throw unusable(this.#folder, "written", "ENOSPC");
    } catch (error) {
      throw error instanceof InputError ? error : unusable(this.#folder, "written", errorCode(error));
    }
  }

  close(): void {
    fs.closeSync(this.#fd);
    this.#lock.release();
  }

  /** Closes it and takes it away, unless another file has its name by now; the folder goes if nothing else is in it. */
  remove(): void {
    const file = join(this.#folder, this.#name);
    const ours = fs.fstatSync(this.#fd).ino === fs.statSync(file, { throwIfNoEntry: false })?.ino;
    this.close();
    if (!ours) return;
    fs.rmSync(file, { force: true });
    try {
      fs.rmdirSync(this.#folder);
    } catch {
      // Something else is in it.
    }
  }
}
