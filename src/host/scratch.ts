/**
 * A scratch file for what does not fit in memory: appended to and read back, by this process alone. Always: it has no name
 * once it is open, so that nothing is left behind however this process ends.
 */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, InputError, type ScratchPort, type SharedScratch } from "../base/index.ts";
import { errorCode } from "./errors.ts";

const unusable = (folder: string, error: unknown) =>
  new InputError(
    "host/scratch",
    `A scratch file in ${folder} cannot be used (${errorCode(error)}): make room there, or name another directory in TMPDIR.`,
    { folder },
  );

export class ScratchFile implements ScratchPort {
  readonly #folder: string;
  readonly #fd: number;
  #size = 0;

  private constructor(folder: string, fd: number) {
    this.#folder = folder;
    this.#fd = fd;
  }

  static open(folder = tmpdir()): ScratchFile {
    try {
      const parent = fs.mkdtempSync(join(folder, "blackout-"));
      try {
        return new ScratchFile(folder, fs.openSync(join(parent, "scratch"), "wx+", 0o600));
      } finally {
        fs.rmSync(parent, { recursive: true });
      }
    } catch (error) {
      throw unusable(folder, error);
    }
  }

  /** The same file as another thread of this process opened it; only to be read here. */
  static shared({ fd, size }: SharedScratch): ScratchFile {
    const file = new ScratchFile(tmpdir(), fd);
    file.#size = size;
    return file;
  }

  get shared(): SharedScratch {
    return { fd: this.#fd, size: this.#size };
  }

  get size(): number {
    return this.#size;
  }

  append(bytes: Uint8Array): void {
    try {
      for (let done = 0; done < bytes.length; )
        done += fs.writeSync(this.#fd, bytes, done, bytes.length - done, this.#size + done);
    } catch (error) {
      throw unusable(this.#folder, error);
    }
    this.#size += bytes.length;
  }

  /** Fills `into` from `offset`; all of it was appended before. */
  read(offset: number, into: Uint8Array): void {
    assert(offset + into.length <= this.#size, "a scratch file is read where it was written");
    for (let done = 0; done < into.length; ) {
      const count = fs.readSync(this.#fd, into, done, into.length - done, offset + done);
      assert(count > 0, "nobody else shortens a file without a name");
      done += count;
    }
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}
