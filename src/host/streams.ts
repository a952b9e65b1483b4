/**
 * This process's standard streams, written and read synchronously. Always: all bytes are written, also when the other end
 * is slow and non-blocking; once nobody reads a stream any more, what is written to it is dropped.
 */
import * as fs from "node:fs";
import * as tty from "node:tty";
import type { ConsolePort, InputPort } from "../base/index.ts";
import { errorCode } from "./errors.ts";

const WAIT_MS = 1;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Waits a moment: the other end of a non-blocking stream is not ready. */
const pause = (): void => {
  Atomics.wait(sleeper, 0, 0, WAIT_MS);
};

/** Writes all bytes to a descriptor; false when nobody reads it any more. */
export function writeAll(fd: number, bytes: Uint8Array): boolean {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += fs.writeSync(fd, bytes, done, bytes.length - done);
    } catch (error) {
      const code = errorCode(error);
      if (code === "EPIPE") return false;
      if (code !== "EAGAIN") throw error;
      pause();
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
      if (code !== "EAGAIN") throw error;
      pause();
    }
  }
}

export const stdoutLine = (text: string): boolean => writeAll(1, new TextEncoder().encode(`${text}\n`));
export const stderrLine = (text: string): boolean => writeAll(2, new TextEncoder().encode(`${text}\n`));

/** Input kept from its beginning, so that a restored guest can read it again. */
export class ReplayableInput implements InputPort {
  readonly #fd: number;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #ended = false;

  constructor(fd: number) {
    this.#fd = fd;
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
    while (!this.#ended && offset >= this.#size) this.#readMore(Math.max(length, 65_536));
    let start = 0;
    for (const chunk of this.#chunks) {
      if (offset < start + chunk.length) return chunk.slice(offset - start, offset - start + length);
      start += chunk.length;
    }
    return new Uint8Array();
  }

  #readMore(length: number): void {
    const buffer = new Uint8Array(length);
    const count = readSome(this.#fd, buffer);
    if (count === 0) this.#ended = true;
    else this.#chunks.push(buffer.slice(0, count));
    this.#size += count;
  }
}

/** The guest's standard streams joined to ours. */
export function standardStreams(): ConsolePort {
  const input = new ReplayableInput(0);
  const broken = new Set<number>();
  const isTerminal = (fd: number): boolean => tty.isatty(fd);
  return {
    terminals: [isTerminal(0), isTerminal(1), isTerminal(2)] as const,
    readInput: (offset: number, length: number): Uint8Array => input.readInput(offset, length),
    writeOutput: (stream: 1 | 2, _offset: number, bytes: Uint8Array): void => {
      if (!broken.has(stream) && !writeAll(stream, bytes)) broken.add(stream);
    },
  };
}
