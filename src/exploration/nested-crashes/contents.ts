/**
 * What lines of persistent memory may hold after one crash or several. Always:
 * - A content knows what the line held when the trace began that the crash cut: along these, every crash has its own cut.
 * - Of contents with the same bytes one stands for all: no recovery can tell them apart, and stores over them give the same.
 * - A set is in the order of the cuts, the least first.
 */

import { wordsPerLine } from "../../crash/recovery-tree/index.ts";
import { applyStore, type PmStore } from "../../model/pmem/index.ts";

export interface Content {
  readonly words: Int32Array;
  /** The same for the same bytes. */
  readonly id: number;
  /** The crash that cut the line so, counted from 1; 0 where nobody stored to it. */
  readonly crash: number;
  /** Among the contents of the trace that was cut. */
  readonly number: number;
  /** Some store on the way was kept in part. */
  readonly torn: boolean;
  readonly before: Content | undefined;
}

export interface LineSet {
  readonly contents: readonly Content[];
  /** The same for sets of the same bytes. */
  readonly key: string;
}

/** The most stores; whole ones rather than pieces. */
export const bestOf = ({ contents }: LineSet): Content =>
  contents.findLast(({ torn }) => !torn) ?? contents[contents.length - 1]!;

export const bytesOf = ({ words }: Content): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, words.byteLength);

export function setOf(contents: Iterable<Content>): LineSet {
  const byBytes = new Map<number, Content>();
  for (const content of contents) {
    const known = byBytes.get(content.id);
    if (known !== undefined && !known.torn && content.torn) continue;
    byBytes.delete(content.id);
    byBytes.set(content.id, content);
  }
  const key = [...byBytes.keys()].sort((a, b) => a - b).join();
  return { contents: [...byBytes.values()], key };
}

/** Gives bytes their numbers. */
export class Contents {
  readonly #ids = new Map<string, number>();

  make(words: Int32Array, more: Omit<Content, "words" | "id">): Content {
    const text = words.join();
    const id = this.#ids.get(text) ?? this.#ids.size;
    this.#ids.set(text, id);
    return { words, id, ...more };
  }

  /** Of a line that nobody stored to. */
  untouched(words: Int32Array): Content {
    return this.make(words, { crash: 0, number: -1, torn: false, before: undefined });
  }

  /** With the first of these stores, and pieces of the next one. */
  stored(before: Content, stores: readonly PmStore[], cut: StoredCut): Content {
    const bytes = bytesOf(before).slice();
    for (let at = 0; at < cut.kept; at++) applyStore(bytes, stores[at]!);
    for (let i = 0; cut.pieces >>> i !== 0; i++) if ((cut.pieces >>> i) & 1) applyStore(bytes, stores[cut.kept + i]!);
    const { crash, number } = cut;
    const torn = cut.pieces !== 0 || before.torn;
    return this.make(new Int32Array(bytes.buffer, 0, wordsPerLine), { crash, number, torn, before });
  }

  /** With other bytes where `written` says so, by a call: cut as it was. */
  written(content: Content, bytes: Uint8Array, written: Uint8Array): Content {
    const over = bytesOf(content).map((byte, at) => (written[at] === 1 ? bytes[at]! : byte));
    const { crash, number, torn, before } = content;
    return this.make(new Int32Array(over.buffer, 0, wordsPerLine), { crash, number, torn, before });
  }
}

export interface StoredCut extends Pick<Content, "crash" | "number"> {
  readonly kept: number;
  readonly pieces: number;
}
