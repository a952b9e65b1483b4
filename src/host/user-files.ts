/** Files that commands read and write for the user; what cannot be read or written is told in one sentence. */
import * as fs from "node:fs";
import { InputError } from "../base/index.ts";
import { writeAll } from "./streams.ts";

/** A file opened to be read at any place. */
export interface OpenedFile {
  readonly name: string;
  readonly size: number;
  read(offset: number, into: Uint8Array): void;
  close(): void;
}

/** A file opened to be written from its beginning. */
export interface CreatedFile {
  write(bytes: Uint8Array): void;
  close(): void;
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);
const unreadable = (file: string, error: unknown) =>
  new InputError("cli/unreadable", `${file} cannot be read (${reasonOf(error)}).`, { file });
const unwritable = (file: string, error: unknown) =>
  new InputError("cli/unwritable", `${file} cannot be written (${reasonOf(error)}).`, { file });

export const printText = (text: string): boolean => writeAll(1, new TextEncoder().encode(text));

export function readText(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    throw unreadable(file, error);
  }
}

export function writeText(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text);
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** Undefined when there is no such file, or none that can be read. */
export function readIfThere(file: string): Uint8Array | undefined {
  try {
    return fs.statSync(file).isFile() ? fs.readFileSync(file) : undefined;
  } catch {
    return undefined;
  }
}

export function openBytes(file: string): OpenedFile {
  try {
    const fd = fs.openSync(file, "r");
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) {
      fs.closeSync(fd);
      throw new InputError("cli/unreadable", `${file} is not a regular file.`, { file });
    }
    const { size } = stat;
    return {
      name: file,
      size,
      read: (offset, into) => {
        for (let done = 0; done < into.length; ) {
          const count = fs.readSync(fd, into, done, into.length - done, offset + done);
          if (count === 0)
            throw new InputError("cli/unreadable", `${file} became shorter while it was read.`, { file });
          done += count;
        }
      },
      close: () => fs.closeSync(fd),
    };
  } catch (error) {
    throw error instanceof InputError ? error : unreadable(file, error);
  }
}

/** Bytes gathered before they go to the file: events come in small batches. */
const bufferBytes = 1 << 20;

export function createBytes(file: string): CreatedFile {
  const buffer = new Uint8Array(bufferBytes);
  let used = 0;
  let fd: number;
  try {
    fd = fs.openSync(file, "w");
  } catch (error) {
    throw unwritable(file, error);
  }
  const put = (bytes: Uint8Array): void => {
    try {
      for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done);
    } catch (error) {
      throw unwritable(file, error);
    }
  };
  const flush = (): void => {
    put(buffer.subarray(0, used));
    used = 0;
  };
  return {
    write: (bytes) => {
      if (used + bytes.length > bufferBytes) flush();
      if (bytes.length > bufferBytes) return put(bytes);
      buffer.set(bytes, used);
      used += bytes.length;
    },
    close: () => {
      flush();
      fs.closeSync(fd);
    },
  };
}
