/**
 * What lines of persistent files held before any store of the trace, in the order in which a walk asks. Always: walks over
 * one trace ask for the same lines in the same order, so the first walk's answers serve all that follow, in any thread.
 */
import { assert } from "../../base/index.ts";
import { type FileContents, pathFromText } from "../../machine/index.ts";
import { lineBytes } from "../../model/pmem/index.ts";
import type { TracedFiles } from "./files.ts";

/** 64 bytes of a file as it was at an event. */
export type ReadLine = (path: string, index: number, seq: number) => Uint8Array;

const entryWords = 1 + lineBytes / 4;

export class BaseLines {
  #words: Uint32Array;
  #count: number;

  constructor(words: Uint32Array = new Uint32Array()) {
    this.#words = words;
    this.#count = words.length / entryWords;
  }

  /** Of each line: its index, its contents. */
  get words(): Uint32Array {
    return this.#words.subarray(0, this.#count * entryWords);
  }

  /** Reads through, and takes note. */
  recording(readLine: ReadLine): ReadLine {
    return (path, index, seq) => {
      const line = readLine(path, index, seq);
      this.#add(index, line);
      return line;
    };
  }

  /** For one walk from the beginning. */
  replaying(): ReadLine {
    let next = 0;
    const words = this.#words;
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    return (_path, index) => {
      const at = next++ * entryWords;
      assert(words[at] === index >>> 0, "walks over one trace ask for the same lines in the same order");
      // A copy that never shows its buffer lies in V8's heap: a third of the memory where there are many lines.
      const line = new Uint8Array(lineBytes);
      for (let i = 0, from = 4 * (at + 1); i < lineBytes; i++) line[i] = bytes[from + i]!;
      return line;
    };
  }

  #add(index: number, line: Uint8Array): void {
    const at = this.#count * entryWords;
    if (at + entryWords > this.#words.length) {
      const larger = new Uint32Array(Math.max(64 * entryWords, 2 * this.#words.length));
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[at] = index;
    this.#words.set(new Uint32Array(line.slice().buffer), at + 1);
    this.#count++;
  }
}

/** Lines of files before the trace's stores; a file is looked up once for each time it is mapped anew. */
export function baseReader(history: TracedFiles): ReadLine {
  const known = new Map<string, { readonly seq: number; readonly contents: FileContents | undefined }>();
  const reader = history.reader();
  return (path, index, seq) => {
    let file = known.get(path);
    if (file?.seq !== seq) {
      file = { seq, contents: history.contentsAt(pathFromText(path), seq) };
      known.set(path, file);
    }
    return reader.line(file.contents, index);
  };
}
