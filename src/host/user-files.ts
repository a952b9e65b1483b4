/** Files that commands read and write for the user; what cannot be read or written is told in one sentence. */
import * as fs from "node:fs";
import { InputError } from "../base/index.ts";
import { errorCode } from "./errors.ts";
import { ownStream } from "./own-streams.ts";
import { beginFile, unwritable } from "./partial-file.ts";
import { writeAll } from "./streams.ts";
import { readIfRegular, readWholeText, unreadable, writeWhole } from "./whole-files.ts";

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

/** The most that is read of a file; what is larger was not meant. */
export const readLimits = {
  config: 2 ** 20,
  suppressions: 2 ** 24,
  baseline: 2 ** 28,
  litmus: 2 ** 24,
  witness: 2 ** 26,
  proof: 2 ** 26,
  report: 2 ** 28,
  source: 2 ** 24,
  /** A string of V8 has at most 2^29 characters. */
  log: 2 ** 28,
  binary: 2 ** 31 - 1,
} as const;

export const printText = (text: string): boolean => writeAll(1, new TextEncoder().encode(text));

export const readText = (file: string, kind: keyof typeof readLimits): string => readWholeText(file, readLimits[kind]);

export const writeText = (file: string, text: string): void => writeWhole(file, text);

/** Undefined when there is no such file, or none that can be read. */
export const readIfThere = (file: string): Uint8Array | undefined => readIfRegular(file, readLimits.binary);

export function openBytes(file: string): OpenedFile {
  ownStream(file);
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
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
    throw error instanceof InputError ? error : unreadable(file, errorCode(error));
  }
}

/** Bytes gathered before they go to the file: events come in small batches. */
const bufferBytes = 1 << 20;

export function createBytes(file: string): CreatedFile {
  const buffer = new Uint8Array(bufferBytes);
  let used = 0;
  const begun = beginFile(file);
  let isBroken = false;
  const orAbandon = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      isBroken = true;
      begun.abandon();
      throw unwritable(file, error);
    }
  };
  const put = (bytes: Uint8Array): void =>
    orAbandon(() => {
      for (let done = 0; done < bytes.length; ) done += fs.writeSync(begun.fd, bytes, done);
    });
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
      if (isBroken) return;
      flush();
      orAbandon(() => begun.finish());
    },
  };
}
