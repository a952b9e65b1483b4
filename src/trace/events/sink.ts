/** Whoever takes events: rules, stores, writers. Events arrive in order, in batches, and each of them once. */
import type { TraceTables } from "./tables.ts";

export interface EventSink {
  /** It takes no interest in batches without notes, and is not shown them. */
  readonly onlyNotes?: boolean;
  /** Whole records; `first` is the sequence number of the first. The words are only valid during the call. */
  events(words: Uint32Array, first: number): void;
  /** No event follows. */
  end(): void;
}

export type SinkFactory = (tables: TraceTables) => EventSink;
