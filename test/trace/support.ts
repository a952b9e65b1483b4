/** Sinks and byte stores in memory for tests. */
import {
  type ByteSource,
  type ByteTarget,
  decodeEvent,
  type EventSink,
  type SinkFactory,
  type TraceEvent,
} from "../../src/trace/events/index.ts";
import { recordWords } from "../../src/trace/record/index.ts";

/** Collects every event as an object. */
export function collector(into: TraceEvent[]): SinkFactory {
  return (tables): EventSink => ({
    events(words, first) {
      for (let index = 0; index < words.length / recordWords; index++)
        into.push(decodeEvent(words, index, first + index, tables.texts));
    },
    end() {},
  });
}

export class MemoryBytes implements ByteTarget {
  readonly #parts: Uint8Array[] = [];
  write(bytes: Uint8Array): void {
    this.#parts.push(bytes.slice());
  }
  bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#parts));
  }
}

export const sourceOf = (bytes: Uint8Array, name = "a.btrace"): ByteSource => ({
  name,
  size: bytes.length,
  read: (offset, into) => into.set(bytes.subarray(offset, offset + into.length)),
});
