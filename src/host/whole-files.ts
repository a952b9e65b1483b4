/**
 * Files that are read and written whole. Always:
 * - Reading stops at a limit, so that an endless or immense file costs a sentence and not the machine's memory.
 * - They are written whole or not at all (partial-file.ts).
 */
import * as fs from "node:fs";
import { InputError, printable } from "../base/index.ts";
import { monotonicSeconds, pause } from "./clock.ts";
import { errorCode } from "./errors.ts";
import { ownStream } from "./own-streams.ts";
import { beginFile, unwritable } from "./partial-file.ts";
import { writeAll } from "./streams.ts";

const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = fs.constants;
const chunkBytes = 1 << 16;

export const unreadable = (file: string, reason: string): InputError =>
  new InputError("host/unreadable", `${printable(file)} cannot be read (${reason}).`, { file });

const tooLarge = (file: string, most: number): InputError =>
  new InputError(
    "host/too-large",
    `${printable(file)} has more than ${most} bytes, the most that is read of such a file.`,
    {
      file,
      most,
    },
  );

/** All bytes of a file, or of a pipe up to its end. */
export function readWhole(file: string, most: number): Buffer {
  ownStream(file);
  let fd: number;
  try {
    // Opening a pipe that nobody writes to would wait for ever.
    fd = fs.openSync(file, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    throw unreadable(file, errorCode(error));
  }
  try {
    return readToEnd(fd, file, most);
  } finally {
    fs.closeSync(fd);
  }
}

function readToEnd(fd: number, file: string, most: number): Buffer {
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isDirectory()) throw unreadable(file, "it is a directory");
    if (!stat.isFile()) return readPipe(fd, file, most);
    if (stat.size > most) throw tooLarge(file, most);
    const bytes = Buffer.allocUnsafeSlow(stat.size);
    let done = 0;
    for (let count = 1; done < bytes.length && count > 0; done += count)
      count = fs.readSync(fd, bytes, done, bytes.length - done, null);
    return bytes.subarray(0, done);
  } catch (error) {
    throw error instanceof InputError ? error : unreadable(file, errorCode(error));
  }
}

/** How long somebody has to begin writing to a pipe. */
const writerSeconds = 2;
const pauseMilliseconds = 10;

/** How much there is shows at the end. */
function readPipe(fd: number, file: string, most: number): Buffer {
  const chunks: Uint8Array[] = [];
  let total = 0;
  const patience = monotonicSeconds() + writerSeconds;
  for (;;) {
    const chunk = new Uint8Array(chunkBytes);
    const count = readIfReady(fd, chunk);
    if (count === 0 && (total > 0 || !isPipe(fd))) return Buffer.concat(chunks, total);
    if (count === 0 && monotonicSeconds() > patience) throw unreadable(file, "nobody writes to this pipe");
    if (count === undefined || count === 0) {
      pause(pauseMilliseconds);
      continue;
    }
    total += count;
    if (total > most) throw tooLarge(file, most);
    chunks.push(chunk.subarray(0, count));
  }
}

const isPipe = (fd: number): boolean => fs.fstatSync(fd).isFIFO();

/** Undefined where nothing is there yet, and somebody may write more. */
function readIfReady(fd: number, into: Uint8Array): number | undefined {
  try {
    return fs.readSync(fd, into);
  } catch (error) {
    if (errorCode(error) === "EAGAIN") return undefined;
    throw error;
  }
}

export const readWholeText = (file: string, most: number): string => new TextDecoder().decode(readWhole(file, most));

/**
 * A regular file that may be missing, too large, no file at all, or none that the caller accepts: then undefined. Never waits for
 * a pipe. `more` are flags.
 */
export function readIfRegular(
  file: string,
  most: number,
  more = 0,
  accepts: (stat: fs.Stats) => boolean = () => true,
): Buffer | undefined {
  let fd: number;
  try {
    fd = fs.openSync(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | more);
  } catch {
    return undefined;
  }
  try {
    const stat = fs.fstatSync(fd);
    return stat.isFile() && accepts(stat) ? readToEnd(fd, file, most) : undefined;
  } catch {
    return undefined;
  } finally {
    fs.closeSync(fd);
  }
}

export function writeWhole(file: string, contents: string | Uint8Array): void {
  const stream = ownStream(file);
  if (stream !== undefined) {
    writeAll(stream, typeof contents === "string" ? new TextEncoder().encode(contents) : contents);
    return;
  }
  const begun = beginFile(file);
  try {
    fs.writeFileSync(begun.fd, contents);
    begun.finish();
  } catch (error) {
    begun.abandon();
    throw unwritable(file, error);
  }
}

/** What a name leads to; undefined where that is nothing, or nothing that we may look at. */
function statIfThere(file: string): fs.BigIntStats | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}

/** Whether it is a regular file, or leads to one. */
export const isFile = (path: string): boolean => statIfThere(path)?.isFile() ?? false;

/** Whether it is a folder, or leads to one. */
export const isFolder = (path: string): boolean => statIfThere(path)?.isDirectory() ?? false;

/** What is in a folder, in order; nothing where it is none, or none that we may read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder).sort((a, b) => (a < b ? -1 : 1));
  } catch {
    return [];
  }
}

/** When a file last changed, in milliseconds; 0 for one that is not there. */
export const modifiedAt = (file: string): number => Number(statIfThere(file)?.mtimeNs ?? 0n) / 1e6;

/** Whether two names lead to one file. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [statIfThere(one), statIfThere(other)];
  return a !== undefined && b !== undefined && a.isFile() && a.ino === b.ino && a.dev === b.dev;
}
