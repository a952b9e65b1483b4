/** A kept trace as plain data that another thread can be sent; the events themselves are shared, not copied. */
import { assert } from "../../base/index.ts";
import { recordWords } from "../record/index.ts";
import { batchesOf, type EventStore, type SpillFile, type Trace, type TraceParts } from "./store.ts";
import { ContextTree, newTables, type PackedTexts, TextTable } from "./tables.ts";

export interface SharedTrace {
  readonly count: number;
  readonly parts: TraceParts;
  /** Pairs of parent and return site. */
  readonly contexts: Uint32Array;
  readonly texts: PackedTexts;
  readonly flushesPersist: boolean;
}

/** Of a store whose chunks are shared memory, and which takes no more events. */
export const shareTrace = (store: EventStore): SharedTrace => ({
  count: store.count,
  parts: store.parts,
  contexts: store.tables.contexts.since(1),
  texts: store.tables.texts.packed(),
  flushesPersist: store.tables.flushesPersist,
});

/** `spill` is the spill file that the store was given, if it asked for one. */
export function openSharedTrace(
  { count, parts, contexts, texts, flushesPersist }: SharedTrace,
  spill: Pick<SpillFile, "read"> | undefined,
): Trace {
  const words = parts.chunks.reduce((sum, { length }) => sum + length, parts.spilledChunks * parts.chunkWords);
  assert(words === count * recordWords, "a shared trace has as many events as it counts");
  const tree = new ContextTree();
  tree.addAll(contexts);
  return {
    tables: { ...newTables(flushesPersist), contexts: tree, texts: TextTable.unpacked(texts) },
    count,
    batches: () => batchesOf(parts, spill),
  };
}
