/**
 * This process's standard streams, written and read synchronously. Always: all bytes are written, also when the other end
 * is slow and non-blocking; once nobody reads a stream any more, what is written to it is dropped. Lines of text carry no
 * control characters but, where we paint, our own colours.
 */
import * as fs from "node:fs";
import * as tty from "node:tty";
import { type ConsolePort, InputError, type InputPort, printableLines, printableOutput } from "../base/index.ts";
import { pause } from "./clock.ts";
import { errorCode } from "./errors.ts";

/** The other end of a non-blocking stream is not ready. */
const waitMilliseconds = 1;

const streamNames = ["standard input", "standard output", "standard error"];

const broken = (fd: number, how: string, code: string): InputError =>
  new InputError("host/stream", `${streamNames[fd] ?? `descriptor ${fd}`} cannot be ${how} (${code}).`, { fd });

/** Writes all bytes to a descriptor; false when nobody reads it any more. */
export function writeAll(fd: number, bytes: Uint8Array): boolean {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += fs.writeSync(fd, bytes, done, bytes.length - done);
    } catch (error) {
      const code = errorCode(error);
      if (code === "EPIPE") return false;
      if (code !== "EAGAIN") throw broken(fd, "written", code);
      pause(waitMilliseconds);
    }
  }
  return true;
}

/** At most `into.length` bytes from a descriptor, waiting for them; 0 at its end. */
export function readSome(fd: number, into: Uint8Array): number {
  for (;;) {
    try {
      return fs.readSync(fd, into, 0, into.length, null);
    } catch (error) {
      const code = errorCode(error);
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw broken(fd, "read", code);
      pause(waitMilliseconds);
    }
  }
}

/** coloured: where we paint, and names are printable already. */
export type LineKind = "plain" | "coloured";

function lineBytes(text: string, kind: LineKind): Uint8Array {
  const shown = kind === "plain" ? printableLines(text) : printableOutput(text);
  return new TextEncoder().encode(`${shown}\n`);
}

export const stdoutLine = (text: string, kind: LineKind = "plain"): boolean => writeAll(1, lineBytes(text, kind));

let saidInVain = false;

/** Whether something that was to be said on standard error could not be, though somebody would read it. */
export const stderrFailed = (): boolean => saidInVain;

/** What is said while work goes on does not end it: a full disk is told by the exit code at last. */
export function stderrLine(text: string, kind: LineKind = "plain"): boolean {
  try {
    return writeAll(2, lineBytes(text, kind));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    saidInVain = true;
    return false;
  }
}

/** Of standard input: read in one go, and kept. */
const mostAtOnce = 2 ** 20;
const mostKept = 2 ** 28;

/** Input kept from its beginning, so that a restored guest can read it again; or only what came last. */
export class ReplayableInput implements InputPort {
  readonly #fd: number;
  readonly #chunks: Uint8Array[] = [];
  /** Where what is kept begins, and how much has arrived. */
  #start = 0;
  #size = 0;
  #ended = false;
  readonly #keeps: boolean;

  constructor(fd: number, keeps = true) {
    this.#fd = fd;
    this.#keeps = keeps;
  }

  /** Input that is all there. */
  static of(bytes: Uint8Array): ReplayableInput {
    const input = new ReplayableInput(0);
    input.#chunks.push(bytes);
    input.#size = bytes.length;
    input.#ended = true;
    return input;
  }

  /** What was read so far is all there is from now on, and is given back. */
  end(): Uint8Array {
    this.#ended = true;
    return Uint8Array.from(Buffer.concat(this.#chunks));
  }

  /** Bytes from `offset` on, at most `length`; waits only when none of them has arrived. Empty at the end. */
  readInput(offset: number, length: number): Uint8Array {
    while (!this.#ended && offset >= this.#size) this.#readMore(Math.min(Math.max(length, 65_536), mostAtOnce));
    let start = this.#start;
    for (const chunk of this.#chunks) {
      if (offset < start + chunk.length) return chunk.slice(offset - start, offset - start + length);
      start += chunk.length;
    }
    return new Uint8Array();
  }

  #readMore(length: number): void {
    const buffer = new Uint8Array(length);
    const count = readSome(this.#fd, buffer);
    if (count === 0) {
      this.#ended = true;
      return;
    }
    if (!this.#keeps) {
      this.#start = this.#size;
      this.#chunks.length = 0;
    }
    this.#chunks.push(buffer.slice(0, count));
    this.#size += count;
    if (this.#size - this.#start > mostKept)
      throw new InputError(
        "host/input",
        `Standard input has more than ${mostKept} bytes, which is all that can be kept to be read again: give the program a file.`,
      );
  }
}

/** The guest's standard streams joined to ours; its output to another of ours when that one is taken. */
export function standardStreams(output: 1 | 2 = 1): ConsolePort {
  const ours = { 1: output, 2: 2 } as const;
  // A program in front of the user is never set back.
  const input = new ReplayableInput(0, false);
  const closed = new Set<number>();
  const isTerminal = (fd: number): boolean => tty.isatty(fd);
  return {
    terminals: [isTerminal(0), isTerminal(ours[1]), isTerminal(2)] as const,
    readInput: (offset: number, length: number): Uint8Array => input.readInput(offset, length),
    writeOutput: (stream: 1 | 2, _offset: number, bytes: Uint8Array): void => {
      if (!closed.has(stream) && !writeAll(ours[stream], bytes)) closed.add(stream);
    },
  };
}
