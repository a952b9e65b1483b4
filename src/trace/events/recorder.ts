/**
 * Where a machine leaves its events. Always:
 * - What was appended before a note lies before it. The machine's own notes lie in its buffer, among the records.
 * - Every sink sees every event once, in order; a context is known before an event names it.
 */
import { assert } from "../../base/index.ts";
import { recordWords } from "../record/index.ts";
import { type EventBody, type EventPlace, encodeEvent } from "./events.ts";
import type { EventSink, SinkFactory } from "./sink.ts";
import { newTables, type TraceTables } from "./tables.ts";

/** What a batch is known to hold: records of compiled code alone, or notes among them. */
export type BatchContent = "machine's own" | "with notes";

/** Notes are gathered until there are so many, or until records of the machine follow. */
const noteRoom = 256;

export class Recorder {
  readonly tables: TraceTables;
  readonly #sinks: readonly EventSink[];
  readonly #notes = new Uint32Array(noteRoom * recordWords);
  #noted = 0;
  #count = 0;
  #ended = false;

  constructor(sinks: readonly SinkFactory[], tables: TraceTables = newTables()) {
    this.tables = tables;
    this.#sinks = sinks.map((create) => create(this.tables));
  }

  /** Events so far. */
  get count(): number {
    return this.#count + this.#noted;
  }

  /** Records as they lie in memory; they are copied by whoever keeps them. */
  append(words: Uint32Array, content: BatchContent = "with notes"): void {
    assert(!this.#ended || words.length === 0, "no event follows the end");
    assert(words.length % recordWords === 0, "batches hold whole records");
    this.#flushNotes();
    this.#deliver(words, content);
  }

  /** One event noted at its place. */
  note(place: EventPlace, body: EventBody): void {
    assert(!this.#ended, "no event follows the end");
    assert(this.#noted < noteRoom, "there is room for one more note");
    encodeEvent(this.#notes, this.#noted++, place, body, this.tables.texts);
    if (this.#noted === noteRoom) this.#flushNotes();
  }

  /** Sinks have seen all that there is so far. */
  flush(): void {
    this.#flushNotes();
  }

  end(): void {
    if (this.#ended) return;
    this.#flushNotes();
    this.#ended = true;
    for (const sink of this.#sinks) sink.end();
  }

  #flushNotes(): void {
    const count = this.#noted;
    this.#noted = 0;
    if (count > 0) this.#deliver(this.#notes.subarray(0, count * recordWords), "with notes");
  }

  #deliver(words: Uint32Array, content: BatchContent): void {
    if (words.length === 0) return;
    for (const sink of this.#sinks) if (content === "with notes" || !sink.onlyNotes) sink.events(words, this.#count);
    this.#count += words.length / recordWords;
  }
}
