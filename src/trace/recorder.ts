/**
 * Where a machine leaves its events. Always:
 * - What was appended before a note lies before it: the machine hands over its buffer first, then notes.
 * - Every sink sees every event once, in order; a context is known before an event names it.
 */
import { assert } from "../base/index.ts";
import { type EventBody, type EventPlace, encodeEvent } from "./events.ts";
import { recordBytes, recordWords } from "./kinds.ts";
import type { EventSink, SinkFactory } from "./sink.ts";
import { newTables, type TraceTables } from "./tables.ts";

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

  /** Raw records as compiled code wrote them; they are copied by whoever keeps them. */
  append(batch: Uint8Array): void {
    assert(batch.byteLength % recordBytes === 0, "a batch holds whole records");
    const aligned = batch.byteOffset % 4 === 0 ? batch : batch.slice();
    this.appendWords(new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4));
  }

  appendWords(words: Uint32Array): void {
    assert(!this.#ended, "no event follows the end");
    this.#flushNotes();
    this.#deliver(words);
  }

  /** One event noted at its place. */
  note(place: EventPlace, body: EventBody): void {
    assert(!this.#ended, "no event follows the end");
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
    if (count > 0) this.#deliver(this.#notes.subarray(0, count * recordWords));
  }

  #deliver(words: Uint32Array): void {
    if (words.length === 0) return;
    for (const sink of this.#sinks) sink.events(words, this.#count);
    this.#count += words.length / recordWords;
  }
}
