/**
 * A trace kept for later: chunks of records in memory, the oldest of them in a file once they pass a limit. Always:
 * - At most `memoryBytes` and one chunk more are held, however long the trace.
 * - Chunks are full, but for the last.
 */
import { assert } from "../../base/index.ts";
import { recordBytes, recordWords } from "../record/index.ts";
import type { EventSink } from "./sink.ts";
import type { TraceTables } from "./tables.ts";

/** A file of our own that only grows; the host implements it. */
export interface SpillFile {
  append(bytes: Uint8Array): void;
  /** Fills `into` from `offset`; all of it was appended before. */
  read(offset: number, into: Uint8Array): void;
}

export interface EventStoreOptions {
  readonly memoryBytes: number;
  /** Called once, when the limit is passed. */
  openSpill(): SpillFile;
  readonly chunkEvents?: number;
  /** Chunks lie in memory that threads can share. */
  readonly shared?: boolean;
}

/** A recorded trace, to be walked as often as one likes. */
export interface Trace {
  readonly tables: TraceTables;
  readonly count: number;
  /** Batches of whole records in order; the words are valid until the next batch. */
  batches(): Iterable<Uint32Array>;
}

/** The oldest chunks lie one after another in the spill file, the others in memory. */
export interface TraceParts {
  readonly spilledChunks: number;
  readonly chunkWords: number;
  readonly chunks: readonly Uint32Array[];
}

export function* batchesOf(
  { spilledChunks, chunkWords, chunks }: TraceParts,
  spill: Pick<SpillFile, "read"> | undefined,
): Iterable<Uint32Array> {
  assert(
    chunks.every(({ length }) => length <= chunkWords),
    "no chunk is larger than its room",
  );
  const buffer = new Uint32Array(spilledChunks > 0 ? chunkWords : 0);
  const bytes = new Uint8Array(buffer.buffer);
  for (let chunk = 0; chunk < spilledChunks; chunk++) {
    assert(spill !== undefined, "spilled chunks are in the spill file");
    spill.read(chunk * bytes.length, bytes);
    yield buffer;
  }
  yield* chunks;
}

export class EventStore implements EventSink, Trace {
  readonly tables: TraceTables;
  readonly #options: EventStoreOptions;
  readonly #chunkWords: number;
  #chunks: Uint32Array[] = [];
  #used = 0;
  #spill: SpillFile | undefined;
  #spilledChunks = 0;

  constructor(tables: TraceTables, options: EventStoreOptions) {
    this.tables = tables;
    this.#options = options;
    this.#chunkWords = (options.chunkEvents ?? 1 << 18) * recordWords;
    assert(Number.isSafeInteger(this.#chunkWords) && this.#chunkWords > 0, "a chunk has room for events");
  }

  get count(): number {
    const full = this.#spilledChunks + Math.max(0, this.#chunks.length - 1);
    return (full * this.#chunkWords + this.#used) / recordWords;
  }

  /** Bytes of events held in memory. */
  get heldBytes(): number {
    return this.#chunks.length * this.#chunkWords * 4;
  }

  events(words: Uint32Array): void {
    assert(words.length % recordWords === 0, "batches hold whole records");
    for (let done = 0; done < words.length; ) {
      const chunk = this.#chunks.at(-1);
      if (chunk === undefined || this.#used === this.#chunkWords) {
        this.#addChunk();
        continue;
      }
      const part = words.subarray(done, done + this.#chunkWords - this.#used);
      chunk.set(part, this.#used);
      this.#used += part.length;
      assert(this.#used <= this.#chunkWords, "a chunk holds what it has room for");
      done += part.length;
    }
  }

  end(): void {}

  /** How the events lie, for whoever walks them in another thread. */
  get parts(): TraceParts {
    const last = this.#chunks.length - 1;
    const chunks = this.#chunks.map((chunk, index) => (index === last ? chunk.subarray(0, this.#used) : chunk));
    return { spilledChunks: this.#spilledChunks, chunkWords: this.#chunkWords, chunks };
  }

  batches(): Iterable<Uint32Array> {
    return batchesOf(this.parts, this.#spill);
  }

  #newChunk(): Uint32Array {
    const bytes = 4 * this.#chunkWords;
    return new Uint32Array(this.#options.shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  }

  #addChunk(): void {
    const over = (this.#chunks.length + 1) * this.#chunkWords * 4 > this.#options.memoryBytes;
    const oldest = over ? this.#chunks.shift() : undefined;
    if (oldest !== undefined) {
      this.#spill ??= this.#options.openSpill();
      assert(oldest.length === this.#chunkWords, "only full chunks are spilled");
      this.#spill.append(new Uint8Array(oldest.buffer));
      this.#spilledChunks++;
    }
    this.#chunks.push(oldest ?? this.#newChunk());
    this.#used = 0;
    assert(this.#chunkWords % recordWords === 0 && recordBytes === recordWords * 4, "chunks hold whole records");
  }
}

/** Shows a kept trace to a sink from its beginning. */
export function replay(trace: Trace, sink: EventSink): void {
  let first = 0;
  for (const words of trace.batches()) {
    sink.events(words, first);
    first += words.length / recordWords;
  }
  assert(first === trace.count, "a kept trace has as many events as it counts");
  sink.end();
}
