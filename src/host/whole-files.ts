/**
 * Files that are read and written whole. Always:
 * - Reading stops at a limit, so that an endless or immense file costs a sentence and not the machine's memory.
 * - A regular file is written whole or not at all: under another name beside it, then renamed. After a failure, a full
 *   disk or a kill, the old file is still there.
 */
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { InputError, printable } from "../base/index.ts";
import { errorCode } from "./errors.ts";

const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = fs.constants;
const chunkBytes = 1 << 16;

export const unreadable = (file: string, reason: string): InputError =>
  new InputError("host/unreadable", `${printable(file)} cannot be read (${reason}).`, { file });

export const unwritable = (file: string, error: unknown): InputError =>
  new InputError(
    "host/unwritable",
    `${printable(file)} cannot be written (${errorCode(error)}): make room there, or name another place.`,
    { file },
  );

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
  let fd: number;
  try {
    fd = fs.openSync(file, O_RDONLY | O_NOCTTY);
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

/** How much there is shows at the end. */
function readPipe(fd: number, file: string, most: number): Buffer {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const chunk = new Uint8Array(chunkBytes);
    const count = fs.readSync(fd, chunk);
    if (count === 0) return Buffer.concat(chunks, total);
    total += count;
    if (total > most) throw tooLarge(file, most);
    chunks.push(chunk.subarray(0, count));
  }
}

export const readWholeText = (file: string, most: number): string => new TextDecoder().decode(readWhole(file, most));

/** A regular file that may be missing, too large, or no file at all: then undefined. Never waits for a pipe. */
export function readIfRegular(file: string, most: number): Buffer | undefined {
  let fd: number;
  try {
    fd = fs.openSync(file, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return undefined;
  }
  try {
    return fs.fstatSync(fd).isFile() ? readToEnd(fd, file, most) : undefined;
  } catch {
    return undefined;
  } finally {
    fs.closeSync(fd);
  }
}

const partialName = (file: string): string =>
  join(dirname(file), `.${basename(file).slice(0, 200)}.${process.pid}.partial`);

/** A device or a pipe is written to; a link's target is replaced, not the link. */
export function writeWhole(file: string, contents: string | Uint8Array): void {
  const begun = beginFile(file);
  try {
    fs.writeFileSync(begun.fd, contents);
    begun.finish();
  } catch (error) {
    begun.abandon();
    throw unwritable(file, error);
  }
}

export interface PartialFile {
  readonly fd: number;
  /** The file takes its name. */
  finish(): void;
  /** Nothing of it stays. */
  abandon(): void;
}

/** A file that is written over a while: it takes its name once it is whole. What is no regular file is written to at once. */
export function beginFile(file: string): PartialFile {
  try {
    const found = fs.statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) {
      const fd = fs.openSync(file, "w");
      return { fd, finish: () => fs.closeSync(fd), abandon: () => fs.closeSync(fd) };
    }
    const target = found === undefined ? file : fs.realpathSync(file);
    const partial = partialName(target);
    const fd = fs.openSync(partial, "wx", (found?.mode ?? 0o666) & 0o777);
    const close = () => fs.closeSync(fd);
    return {
      fd,
      finish: () => {
        close();
        fs.renameSync(partial, target);
      },
      abandon: () => {
        close();
        fs.rmSync(partial, { force: true });
      },
    };
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** When a file last changed, in milliseconds; 0 for one that is not there. */
export const modifiedAt = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Whether two names lead to one file. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => fs.statSync(file, { throwIfNoEntry: false, bigint: true }));
  return a !== undefined && b !== undefined && a.isFile() && a.ino === b.ino && a.dev === b.dev;
}
