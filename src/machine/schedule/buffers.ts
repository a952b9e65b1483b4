/**
 * The store buffers of all threads, over a memory in which the running thread's stores are visible already. Always:
 * - Between turns memory holds what every thread sees. In a turn it holds what the running thread sees: that, and its buffer.
 * - Events leave in the order in which stores become visible, each with the thread that made it.
 * - A locked operation, mfence and whatever is the kernel's finds the thread's buffer empty, and a locked store is visible at
 *   once (PM-6 to PM-9). A buffer holds no more than a processor's might; the oldest leaves for a new one.
 */
import { assert } from "../../base/index.ts";
import {
  codeIn,
  codeOf,
  codeOfLoad,
  inRecord,
  recordWords,
  sizeIn,
  storedBytes,
  threadIn,
} from "../../trace/record/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import { type BufferedOperation, StoreBuffer } from "./buffer.ts";
import type { BufferDrain, Waiting } from "./choices.ts";
import { afterStores, isCode, loggedStore, operationIn, startsStore, volatileStores } from "./log.ts";
import { isStep, type Meetings } from "./meetings.ts";

/** As in processors of our time; a longer wait shows nothing new but costs more. */
const mostWaiting = 56;
const noSite = -1;

export interface BufferOptions {
  /** Where it is noted what threads read of each other. */
  readonly meetings?: Meetings | undefined;
  /** Nothing waits: every store is visible at once. */
  readonly unbuffered?: boolean;
}

export class StoreBuffers {
  readonly #memory: GuestMemory;
  readonly #emit: (words: Uint32Array) => void;
  readonly #buffers = new Map<number, StoreBuffer>();
  /** Whose stores memory shows. */
  #running: number | undefined;
  /** The locked instruction that was just noted: its store comes next, if it stores. */
  #lockedSite = noSite;
  readonly #meetings: Meetings | undefined;
  readonly #mostWaiting: number;

  constructor(memory: GuestMemory, emit: (words: Uint32Array) => void, options: BufferOptions = {}) {
    this.#memory = memory;
    this.#emit = emit;
    this.#meetings = options.meetings;
    this.#mostWaiting = options.unbuffered ? 0 : mostWaiting;
  }

  #buffer(thread: number): StoreBuffer {
    const buffer = this.#buffers.get(thread) ?? new StoreBuffer();
    this.#buffers.set(thread, buffer);
    return buffer;
  }

  get waiting(): readonly Waiting[] {
    return [...this.#buffers]
      .map(([thread, buffer]) => ({
        thread,
        stores: buffer.waiting,
        nonTemporal: buffer.entries.some(({ kind }) => kind === "non-temporal"),
      }))
      .filter(({ stores }) => stores > 0);
  }

  // ── In a turn ───────────────────────────────────────────────────────────────────────────────────────────────

  begin(thread: number): void {
    assert(this.#running === undefined, "schedule: one thread runs at a time");
    this.#running = thread;
    for (const entry of this.#buffer(thread).entries) {
      entry.before = this.#memory.bytes.slice(entry.address, entry.address + entry.bytes.length);
      this.#put(entry.address, entry.bytes);
    }
  }

  end(): void {
    if (this.#running === undefined) return;
    for (const { address, before } of this.#buffer(this.#running).entries.toReversed()) this.#put(address, before);
    this.#running = undefined;
  }

  #put(address: number, bytes: Uint8Array): void {
    if (bytes.length > 0) this.#memory.put(address, bytes);
  }

  /** What the running thread did; between turns, what the kernel did for one that goes on. */
  take(words: Uint32Array): void {
    if (this.#running === undefined) {
      this.#noteAtOnce(words);
      return this.#emit(words);
    }
    const buffer = this.#buffer(this.#running);
    for (let at = 0; at < words.length; )
      if (startsStore(words, at)) {
        at = this.#skip(buffer, words, at);
        const { entry, site, next } = loggedStore(words, at);
        this.#stand(entry);
        if (site === this.#lockedSite) this.#tell([entry]);
        else this.#issue(buffer, entry);
        this.#lockedSite = noSite;
        at = next;
      } else if (codeIn(words[at]!) === codeOfLoad) {
        this.#load(this.#running, buffer, words, at);
        at += recordWords;
      } else {
        this.#takeOther(buffer, words, at);
        at += recordWords;
      }
  }

  /** Of many stores that nobody is told of, only the last can still wait: they push out what was there, and each other. */
  #skip(buffer: StoreBuffer, words: Uint32Array, at: number): number {
    const isNoted = this.#lockedSite !== noSite || this.#meetings !== undefined;
    const stores = isNoted ? 0 : volatileStores(words, at);
    if (stores <= mostWaiting) return at;
    this.#empty(buffer);
    return afterStores(at, stores - mostWaiting);
  }

  #takeOther(buffer: StoreBuffer, words: Uint32Array, at: number): void {
    const operation = operationIn(words, at);
    const code = codeIn(words[at]!);
    this.#lockedSite = isCode(code, "locked") ? words[at + inRecord.site]! : noSite;
    if (operation !== undefined) {
      if (operation.kind === "sfence") this.#stand(operation);
      return this.#issue(buffer, operation);
    }
    if (!isCode(code, "lfence")) this.#empty(buffer);
    const own = words.slice(at, at + recordWords);
    this.#noteAtOnce(own);
    this.#emit(own);
  }

  #stand(entry: BufferedOperation): void {
    const standing = this.#meetings?.issue(this.#running!, entry.words.length / recordWords);
    if (standing !== undefined) entry.standing = standing;
  }

  /** Fences that do not wait, and stores without a log of what they overwrite, which are the kernel's. */
  #noteAtOnce(words: Uint32Array): void {
    if (this.#meetings === undefined) return;
    for (let at = 0; at < words.length; at += recordWords) {
      const head = words[at]!;
      if (!isStep(codeIn(head))) continue;
      const bytes = codeIn(head) === codeOf.store ? storedBytes(head) : 0;
      const standing = this.#meetings.issue(threadIn(head), 1);
      this.#meetings.show(words[at + inRecord.address]!, bytes, standing, 1);
    }
  }

  #load(thread: number, buffer: StoreBuffer, words: Uint32Array, at: number): void {
    const isOwn = (byte: number) =>
      buffer.entries.some(({ address, bytes }) => address <= byte && byte < address + bytes.length);
    const place = {
      address: words[at + inRecord.address]!,
      size: sizeIn(words[at]!),
      site: words[at + inRecord.site]!,
      stack: words[at + inRecord.stack]!,
    };
    this.#meetings?.load(thread, place, isOwn);
  }

  #issue(buffer: StoreBuffer, entry: BufferedOperation): void {
    this.#tell(buffer.issue(entry));
    while (buffer.waiting > this.#mostWaiting) this.#tell(buffer.leave());
  }

  #tell(entries: readonly BufferedOperation[]): void {
    for (const { words, standing, address, bytes } of entries) {
      if (standing !== undefined) this.#meetings?.show(address, bytes.length, standing, words.length / recordWords);
      if (words.length > 0) this.#emit(words);
    }
  }

  /** Everything leaves; memory shows it already. */
  #empty(buffer: StoreBuffer): void {
    while (buffer.entries.length > 0) this.#tell(buffer.leave());
  }

  /** The running thread enters the kernel. */
  drainOwn(): void {
    if (this.#running !== undefined) this.#empty(this.#buffer(this.#running));
  }

  // ── Between turns, or with an empty buffer of the running thread ────────────────────────────────────────────

  drain({ thread, stores, behind }: BufferDrain): void {
    const buffer = this.#buffer(thread);
    const shown = this.#running !== undefined && this.#buffer(this.#running).entries.length > 0;
    assert(!shown, "schedule: what a thread alone sees is undone before others' stores drain");
    for (let left = stores; left > 0 && buffer.waiting > 0; left--) {
      const leaving = buffer.leave(behind);
      for (const { address, bytes } of leaving) this.#put(address, bytes);
      this.#tell(leaving);
    }
  }

  drainThread(thread: number): void {
    this.drain({ kind: "drain", thread, stores: Number.MAX_SAFE_INTEGER });
  }

  drainAll(): void {
    this.drainOwn();
    for (const thread of this.#buffers.keys()) this.drainThread(thread);
  }
}
