/**
 * A file of lines that is only ever appended to, each line in one write, in a folder of its own. Always: whoever creates it
 * anew takes its name; a process that still writes to the old one does so unseen.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import { InputError } from "../base/index.ts";

const reasonOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);

/** Undefined when there is none. */
export function readAppended(folder: string, name: string): string | undefined {
  const file = join(folder, name);
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
}

export class AppendFile {
  readonly #folder: string;
  readonly #name: string;
  readonly #fd: number;

  private constructor(folder: string, name: string, fd: number) {
    this.#folder = folder;
    this.#name = name;
    this.#fd = fd;
  }

  /** In place of one that is there. */
  static create(folder: string, name: string): AppendFile {
    try {
      if (!fs.existsSync(folder)) fs.mkdirSync(folder);
      fs.rmSync(join(folder, name), { force: true });
      return new AppendFile(folder, name, fs.openSync(join(folder, name), "ax", 0o600));
    } catch (error) {
      throw new InputError(
        "check/journal",
        `The journal in ${folder} cannot be written (${reasonOf(error)}): name another directory with --journal, or give --no-journal.`,
        { folder },
      );
    }
  }

  /** Goes on after its first so many bytes. */
  static resume(folder: string, name: string, bytes: number): AppendFile {
    fs.truncateSync(join(folder, name), bytes);
    return new AppendFile(folder, name, fs.openSync(join(folder, name), "a"));
  }

  append(line: string): void {
    fs.writeSync(this.#fd, line);
  }

  close(): void {
    fs.closeSync(this.#fd);
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
