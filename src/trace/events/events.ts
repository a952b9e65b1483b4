/** Events as objects: for tests, custom rules and printing. What must be fast reads the words of a record itself. */
import { assert, type Seq, type Site, type ThreadId } from "../../base/index.ts";
import {
  codeIn,
  codeOf,
  furtherPiece,
  headOf,
  isFurtherPiece,
  kindOf,
  mapFlags,
  pageBytes,
  type RequestKind,
  recordWords,
  requestKinds,
  sizeIn,
  storedBytes,
  threadIn,
} from "../record/index.ts";
import type { TextTable } from "./tables.ts";
import { packWritten, unpackWritten } from "./written.ts";

export type FlushKind = "clflush" | "clflushopt" | "clwb";
export type FenceKind = "sfence" | "mfence" | "lfence" | "locked";
export type StoreKind = "store" | "non-temporal";

interface Ranged {
  readonly start: number;
  readonly length: number;
}

interface Stored {
  readonly address: number;
  readonly size: number;
  readonly value: bigint;
  /** The event before it is an earlier piece of the same store. */
  readonly further?: true;
}

interface Insertable {
  /** The program did not do it: the patch of this number did (machine/cpu/patches.ts). */
  readonly patch?: number;
}

/** What happened, without when and where. */
export type EventBody =
  | ({ readonly kind: StoreKind } & Stored)
  | ({ readonly kind: FlushKind; readonly address: number } & Insertable)
  | ({ readonly kind: FenceKind } & Insertable)
  | ({
      readonly kind: "map";
      readonly path: string;
      /** Of the mapping's first byte in the file; a multiple of the page size. */
      readonly offset: number;
      readonly persistent: boolean;
      readonly executable: boolean;
    } & Ranged)
  | ({ readonly kind: "unmap" | "msync" } & Ranged)
  /** A file call left these bytes in a persistent file, or zeros; durable as they are, whether they are mapped or not. */
  | { readonly kind: "written"; readonly path: string; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: "written"; readonly path: string; readonly offset: number; readonly zeros: number }
  /** What was stored to the file through mappings that are gone is safe, too. */
  | { readonly kind: "fsync"; readonly path: string }
  | { readonly kind: "thread-start"; readonly parent: number }
  | { readonly kind: "thread-end" }
  | { readonly kind: "output"; readonly stream: number; readonly bytes: Uint8Array }
  | { readonly kind: "marker"; readonly text: string }
  /** `transaction` names the transaction for the tx requests: a number of the program's, or `ownTransaction`. */
  | ({ readonly kind: "request"; readonly request: RequestKind; readonly transaction: number } & Ranged)
  | { readonly kind: "exit"; readonly status: number };

export type TraceEvent = EventBody & {
  readonly seq: Seq;
  readonly thread: ThreadId;
  /** Code address of the instruction. */
  readonly site: Site;
  /** Calling context, 0 at the root. */
  readonly stack: number;
};

/** The transaction that a thread starts without naming it. */
export const ownTransaction = (thread: number): number => (0x8000_0000 | thread) >>> 0;

export interface EventPlace {
  readonly thread: number;
  readonly site: number;
  readonly stack: number;
}

type Words = readonly [size: number, address: number, low: number, high: number, stack?: number];
type Encoders = {
  readonly [K in EventBody["kind"]]: (body: EventBody & { readonly kind: K }, texts: TextTable) => Words;
};

const store = ({ address, size, value, further }: Stored): Words => {
  assert(size >= 1 && (address & 7) + size <= 8, "a store's record stays within eight aligned bytes");
  const marked = further ? size | furtherPiece : size;
  return [marked, address, Number(value & 0xffff_ffffn), Number((value >> 32n) & 0xffff_ffffn)];
};
/** One more than a patch's number, so that 0 is none. */
const inserted = ({ patch }: Insertable): number => (patch === undefined ? 0 : patch + 1);
const flush = (body: { readonly address: number } & Insertable): Words => [0, body.address, 0, inserted(body)];
const fence = (body: Insertable): Words => [0, 0, 0, inserted(body)];
const ranged = (body: Ranged): Words => [0, body.start, body.length, 0];

const encoders: Encoders = {
  store,
  "non-temporal": store,
  clflush: flush,
  clflushopt: flush,
  clwb: flush,
  sfence: fence,
  mfence: fence,
  lfence: fence,
  locked: fence,
  map: (body, texts) => {
    const flags = (body.persistent ? mapFlags.persistent : 0) | (body.executable ? mapFlags.executable : 0);
    const path = body.persistent ? texts.addPool(body.path) : texts.add(body.path);
    return [flags, body.start, body.length, path, body.offset / pageBytes];
  },
  unmap: ranged,
  msync: ranged,
  written: (body, texts) => [0, 0, 0, texts.addBytes(packWritten(body))],
  fsync: (body, texts) => [0, 0, 0, texts.add(body.path)],
  "thread-start": (body) => [0, 0, body.parent, 0],
  "thread-end": () => [0, 0, 0, 0],
  output: (body, texts) => [0, body.stream, body.bytes.length, texts.addBytes(body.bytes)],
  marker: (body, texts) => [0, 0, 0, texts.add(body.text)],
  request: (body) => [requestKinds.indexOf(body.request), body.start, body.length, body.transaction],
  exit: (body) => [0, 0, body.status, 0],
};

/** Writes one record at a record's index. */
export function encodeEvent(
  into: Uint32Array,
  index: number,
  place: EventPlace,
  body: EventBody,
  texts: TextTable,
): void {
  assert((index + 1) * recordWords <= into.length, "a record has room where it is written");
  const encode = encoders[body.kind] as (body: EventBody, texts: TextTable) => Words;
  const words = encode(body, texts);
  const at = index * recordWords;
  into[at] = headOf(codeOf[body.kind], words[0], place.thread);
  into[at + 1] = place.site;
  into[at + 2] = words[1];
  into[at + 3] = words[4] ?? place.stack;
  into[at + 4] = words[2];
  into[at + 5] = words[3];
}

interface Record {
  readonly head: number;
  readonly size: number;
  readonly address: number;
  readonly stack: number;
  readonly low: number;
  readonly high: number;
}
type Decoders = {
  readonly [K in EventBody["kind"]]: (record: Record, texts: TextTable) => EventBody & { readonly kind: K };
};

const wide = ({ low, high }: Record): bigint => (BigInt(high) << 32n) | BigInt(low);

const stored = <K extends StoreKind>(kind: K, record: Record): { readonly kind: K } & Stored => {
  const size = storedBytes(record.head);
  const body = { kind, address: record.address, size, value: wide(record) };
  return isFurtherPiece(record.head) ? { ...body, further: true } : body;
};

const flushed = <K extends FlushKind>(kind: K, { address, high }: Record) =>
  high === 0 ? { kind, address } : { kind, address, patch: high - 1 };
const fenced = <K extends FenceKind>(kind: K, { high }: Record) => (high === 0 ? { kind } : { kind, patch: high - 1 });

const decoders: Decoders = {
  store: (record) => stored("store", record),
  "non-temporal": (record) => stored("non-temporal", record),
  clflush: (record) => flushed("clflush", record),
  clflushopt: (record) => flushed("clflushopt", record),
  clwb: (record) => flushed("clwb", record),
  sfence: (record) => fenced("sfence", record),
  mfence: (record) => fenced("mfence", record),
  lfence: () => ({ kind: "lfence" }),
  locked: () => ({ kind: "locked" }),
  map: ({ size, address, stack, low, high }, texts) => ({
    kind: "map",
    start: address,
    length: low,
    path: texts.text(high),
    offset: stack * pageBytes,
    persistent: (size & mapFlags.persistent) !== 0,
    executable: (size & mapFlags.executable) !== 0,
  }),
  unmap: ({ address, low }) => ({ kind: "unmap", start: address, length: low }),
  msync: ({ address, low }) => ({ kind: "msync", start: address, length: low }),
  written: ({ high }, texts) => unpackWritten(texts.bytes(high)),
  fsync: ({ high }, texts) => ({ kind: "fsync", path: texts.text(high) }),
  "thread-start": ({ low }) => ({ kind: "thread-start", parent: low }),
  "thread-end": () => ({ kind: "thread-end" }),
  output: ({ address, high }, texts) => ({ kind: "output", stream: address, bytes: texts.bytes(high) }),
  marker: ({ high }, texts) => ({ kind: "marker", text: texts.text(high) }),
  request: ({ size, address, low, high }) => ({
    kind: "request",
    request: requestKinds[size] as RequestKind,
    start: address,
    length: low,
    transaction: high,
  }),
  exit: ({ low }) => ({ kind: "exit", status: low }),
};

/** The event of a record whose kind is known to be valid. */
export function decodeEvent(words: Uint32Array, index: number, seq: number, texts: TextTable): TraceEvent {
  const at = index * recordWords;
  assert(index >= 0 && at + recordWords <= words.length, "a record is read where one lies");
  const head = words[at]!;
  const kind = kindOf(codeIn(head));
  assert(kind !== undefined, "a record in memory has a known kind");
  const record = {
    head,
    size: sizeIn(head),
    address: words[at + 2]!,
    stack: words[at + 3]!,
    low: words[at + 4]!,
    high: words[at + 5]!,
  };
  const body = (decoders[kind] as (record: Record, texts: TextTable) => EventBody)(record, texts);
  const stack = kind === "map" ? 0 : record.stack;
  const place = { seq: seq as Seq, thread: threadIn(head) as ThreadId, site: words[at + 1] as Site, stack };
  // Not `{ ...body, ...place }`: before V8 optimises that, it takes twenty times as long.
  return Object.assign(body, place);
}
