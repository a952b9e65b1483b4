/** Reads lines of file contents. Neighbours are often asked for one after another, so that the last page is kept. */

import type { FileContents, Machine } from "../../machine/index.ts";
import { lineBytes } from "../../model/pmem/index.ts";

const pageBytes = 4096;

export class LineReader {
  readonly #machine: Pick<Machine, "readContents">;
  readonly #page = new Uint8Array(pageBytes);
  #kept: FileContents | undefined;
  #offset = 0;

  /** Any machine of the same host will do. */
  constructor(machine: Pick<Machine, "readContents">) {
    this.#machine = machine;
  }

  /** Zeros where there is no file, or beyond its end. */
  line(contents: FileContents | undefined, index: number): Uint8Array {
    if (contents === undefined) return new Uint8Array(lineBytes);
    const at = index * lineBytes;
    const offset = at - (at % pageBytes);
    if (this.#kept !== contents || this.#offset !== offset) this.#machine.readContents(contents, offset, this.#page);
    this.#kept = contents;
    this.#offset = offset;
    return this.#page.slice(at - offset, at - offset + lineBytes);
  }
}
