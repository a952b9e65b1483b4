/** The events of a stretch of a trace, as objects: for whoever looks at few of them. */
import { assert } from "../../base/index.ts";
import { codeIn, codeOf, firstNote, recordWords } from "../record/index.ts";
import { decodeEvent, type TraceEvent } from "./events.ts";
import type { Trace } from "./store.ts";

/** From event `from` up to before event `to`. */
export function* eventsBetween(trace: Trace, from: number, to: number): Iterable<TraceEvent> {
  assert(from >= 0 && from <= to, "a stretch begins before it ends");
  let first = 0;
  for (const words of trace.batches()) {
    const end = first + words.length / recordWords;
    for (let seq = Math.max(first, from); seq < Math.min(end, to); seq++)
      yield decodeEvent(words, seq - first, seq, trace.tables.texts);
    first = end;
    if (first >= to) return;
  }
}

/** The events of a trace that are neither stores nor flushes nor fences; the many others are passed over. */
export function* notesIn(trace: Trace): Iterable<TraceEvent> {
  let first = 0;
  for (const words of trace.batches()) {
    const count = words.length / recordWords;
    for (let at = 0; at < count; at++)
      if (codeIn(words[at * recordWords]!) >= firstNote) yield decodeEvent(words, at, first + at, trace.tables.texts);
    first += count;
  }
}

/** Whether whole records hold a store. */
export function hasStores(words: Uint32Array): boolean {
  for (let at = 0; at < words.length; at += recordWords) {
    const code = codeIn(words[at]!);
    if (code === codeOf.store || code === codeOf["non-temporal"]) return true;
  }
  return false;
}
