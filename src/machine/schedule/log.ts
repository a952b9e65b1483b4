/**
 * The log of a thread that runs by a schedule: the trace's records, with each store told twice, first what it overwrites, then
 * what it writes (machine/runtime/scheduling.ts). Always: both lie in one batch, piece after piece.
 */
import { assert } from "../../base/index.ts";
import {
  codeIn,
  codeOf,
  codeOfBefore,
  type EventKind,
  inRecord,
  isFurtherPiece,
  recordWords,
  storedBytes,
  toVolatile,
} from "../../trace/record/index.ts";
import type { BufferedOperation, EntryKind } from "./buffer.ts";

const lineBits = 6;
const none = new Uint8Array();
const noWords = new Uint32Array();

const entryKinds: ReadonlyMap<number, EntryKind> = new Map([
  [codeOf.clflush, "clflush"],
  [codeOf.clflushopt, "clflushopt"],
  [codeOf.clwb, "clflushopt"],
  [codeOf.sfence, "sfence"],
]);

export const isCode = (code: number, kind: EventKind): boolean => code === codeOf[kind];

export const startsStore = (words: Uint32Array, at: number): boolean => codeIn(words[at]!) === codeOfBefore;

/** A flush or an sfence, which waits in the buffer; undefined for what does not. */
export function operationIn(words: Uint32Array, at: number): BufferedOperation | undefined {
  const kind = entryKinds.get(codeIn(words[at]!));
  if (kind === undefined) return undefined;
  const address = words[at + inRecord.address]!;
  const line = kind === "sfence" ? -1 : address >>> lineBits;
  const own = words.slice(at, at + recordWords);
  return { kind, firstLine: line, lastLine: line, address, bytes: none, before: none, words: own };
}

export interface LoggedStore {
  readonly entry: BufferedOperation;
  readonly site: number;
  /** Where the log goes on. */
  readonly next: number;
}

/** Where the pieces of one store end. */
function endOfPieces(words: Uint32Array, from: number): number {
  let end = from + recordWords;
  while (end < words.length && codeIn(words[end]!) === codeIn(words[from]!) && isFurtherPiece(words[end]!))
    end += recordWords;
  return end;
}

function bytesOf(words: Uint32Array, from: number, end: number): Uint8Array {
  let length = 0;
  for (let at = from; at < end; at += recordWords) length += storedBytes(words[at]!);
  const bytes = new Uint8Array(length);
  let next = 0;
  for (let at = from; at < end; at += recordWords) {
    const size = storedBytes(words[at]!);
    for (let i = 0; i < size; i++) {
      const half = words[at + (i < 4 ? inRecord.low : inRecord.high)]!;
      bytes[next++] = half >>> (8 * (i % 4));
    }
  }
  return bytes;
}

/** Each of a store's two halves in one record, as most are. */
const shortStoreWords = 2 * recordWords;
const volatileStore = codeOf.store + toVolatile;

/** How many stores to memory that is not persistent follow each other from here on, of those that are two records. */
export function volatileStores(words: Uint32Array, from: number): number {
  let at = from;
  while (
    at + shortStoreWords <= words.length &&
    codeIn(words[at]!) === codeOfBefore &&
    codeIn(words[at + recordWords]!) === volatileStore
  )
    at += shortStoreWords;
  return (at - from) / shortStoreWords;
}

export const afterStores = (from: number, stores: number): number => from + stores * shortStoreWords;

/** The store whose log begins here. */
export function loggedStore(words: Uint32Array, at: number): LoggedStore {
  const middle = endOfPieces(words, at);
  assert(middle < words.length, "schedule: a store's two halves lie in one batch");
  const end = endOfPieces(words, middle);
  const before = bytesOf(words, at, middle);
  const bytes = bytesOf(words, middle, end);
  assert(before.length === bytes.length, "schedule: a store is undone where it was made");
  const code = codeIn(words[middle]!);
  const isVolatile = code > codeOfBefore;
  const kind = code - (isVolatile ? toVolatile : 0) === codeOf["non-temporal"] ? "non-temporal" : "store";
  const address = words[middle + inRecord.address]!;
  const entry: BufferedOperation = {
    kind,
    firstLine: address >>> lineBits,
    lastLine: (address + bytes.length - 1) >>> lineBits,
    address,
    bytes,
    before,
    words: isVolatile ? noWords : words.slice(middle, end),
  };
  return { entry, site: words[middle + inRecord.site]!, next: end };
}
