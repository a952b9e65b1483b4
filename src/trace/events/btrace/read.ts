/**
 * Reads a .btrace file, handing its events to sinks as they come: a file larger than memory is no trouble. Whatever is
 * wrong with the file is one InputError; sinks see only records that are whole and whose references are known.
 */

import {
  codeIn,
  codeOf,
  furtherPiece,
  kindOf,
  recordBytes,
  recordWords,
  requestKinds,
  sizeIn,
  storedBytes,
} from "../../record/index.ts";
import { crc32 } from "../crc32.ts";
import { Recorder } from "../recorder.ts";
import type { SinkFactory } from "../sink.ts";
import type { TraceTables } from "../tables.ts";
import { isWritten } from "../written.ts";
import {
  type BlockTag,
  type ByteSource,
  blockHeaderBytes,
  blockTags,
  errors,
  fileHeaderBytes,
  magic,
  maxBlock,
  type NamedSite,
  type TraceInfo,
  version,
} from "./format.ts";

interface Reading {
  readonly source: ByteSource;
  readonly recorder: Recorder;
  info: TraceInfo;
  done: Uint8Array | undefined;
}

export interface ReadTrace {
  readonly tables: TraceTables;
  readonly info: TraceInfo;
  readonly count: number;
}

const decoder = new TextDecoder();

export function readBtrace(source: ByteSource, sinks: readonly SinkFactory[]): ReadTrace {
  const reading: Reading = { source, recorder: new Recorder(sinks), info: {}, done: undefined };
  checkHeader(source);
  let offset = fileHeaderBytes;
  while (offset < source.size) {
    if (reading.done !== undefined) throw errors.block(source.name, offset, "follows the closing block");
    offset = readBlock(reading, offset);
  }
  if (reading.done === undefined) throw errors.unfinished(source.name);
  checkCounts(reading, reading.done);
  reading.recorder.end();
  return { tables: reading.recorder.tables, info: reading.info, count: reading.recorder.count };
}

function checkHeader(source: ByteSource): void {
  const header = new Uint8Array(fileHeaderBytes);
  if (source.size < fileHeaderBytes) throw errors.notOurs(source.name);
  source.read(0, header);
  if (!magic.every((byte, index) => header[index] === byte)) throw errors.notOurs(source.name);
  const found = new DataView(header.buffer).getUint32(8, true);
  if (found !== version) throw errors.version(source.name, found);
}

/** Reads the block at an offset; returns where the next one begins. */
function readBlock(reading: Reading, offset: number): number {
  const { source } = reading;
  if (offset + blockHeaderBytes > source.size) throw errors.truncated(source.name, offset);
  const header = new Uint8Array(blockHeaderBytes);
  source.read(offset, header);
  const view = new DataView(header.buffer);
  const name = decoder.decode(header.subarray(0, 4));
  const tag = blockTags.find((known) => known === name);
  if (tag === undefined) throw errors.block(source.name, offset, "has an unknown tag");
  const length = view.getUint32(4, true);
  if (length > maxBlock) throw errors.block(source.name, offset, `says it is ${length} bytes long`);
  if (offset + blockHeaderBytes + length > source.size) throw errors.truncated(source.name, offset);
  const payload = new Uint8Array(length);
  source.read(offset + blockHeaderBytes, payload);
  if (crc32(payload) !== view.getUint32(8, true)) throw errors.block(source.name, offset, "fails its checksum");
  const complaint = takeBlock[tag](reading, payload);
  if (complaint !== undefined) throw errors.block(source.name, offset, complaint);
  return offset + blockHeaderBytes + length;
}

/** What each block does; a returned text says what is wrong with it. */
const takeBlock: Readonly<Record<BlockTag, (reading: Reading, payload: Uint8Array) => string | undefined>> = {
  INFO: (reading, payload) => {
    const info = parseJson(payload);
    if (typeof info !== "object" || info === null || Array.isArray(info)) return "does not hold a JSON object";
    reading.info = info as TraceInfo;
    return undefined;
  },
  CTXT: ({ recorder }, payload) => {
    if (payload.length % 8 !== 0) return "does not hold whole contexts";
    const pairs = new Uint32Array(payload.buffer, 0, payload.length / 4);
    const { contexts } = recorder.tables;
    for (let at = 0; at < pairs.length; at += 2)
      if (pairs[at]! >= contexts.count + at / 2) return "has a context before its parent";
    contexts.addAll(pairs);
    return undefined;
  },
  TEXT: ({ recorder }, payload) => {
    recorder.tables.texts.addBytes(payload);
    return undefined;
  },
  SITE: ({ recorder }, payload) => {
    const sites = parseJson(payload);
    if (!Array.isArray(sites) || !sites.every(isNamedSite)) return "does not hold named places";
    for (const { site, frames } of sites as NamedSite[]) recorder.tables.sites.set(site, frames);
    return undefined;
  },
  EVNT: ({ recorder }, payload) => {
    if (payload.length % recordBytes !== 0) return "does not hold whole events";
    const words = new Uint32Array(payload.buffer, 0, payload.length / 4);
    const complaint = checkRecords(words, recorder.tables);
    if (complaint === undefined) recorder.append(words);
    return complaint;
  },
  DONE: (reading, payload) => {
    reading.done = payload;
    return payload.length === 20 ? undefined : "has the wrong length";
  },
};

const withText: ReadonlySet<number> = new Set([
  ...[codeOf.map, codeOf.output, codeOf.marker, codeOf.written, codeOf.fsync],
]);

function checkRecords(words: Uint32Array, { contexts, texts }: TraceTables): string | undefined {
  const contextCount = contexts.count;
  for (let at = 0; at < words.length; at += recordWords) {
    const head = words[at]!;
    const code = codeIn(head);
    const size = sizeIn(head);
    if (code === codeOf.store || code === codeOf["non-temporal"]) {
      const bytes = storedBytes(head);
      if (size !== bytes && size !== (bytes | furtherPiece)) return `has a store of unknown size ${size}`;
      if (bytes < 1 || (words[at + 2]! & 7) + bytes > 8) return "has a store that does not fit in eight aligned bytes";
    } else if (code > codeOf["non-temporal"]) {
      if (kindOf(code) === undefined) return `has an event of unknown kind ${code}`;
      if (withText.has(code) && words[at + 5]! >= texts.count) return "names a text that is not there";
      if (code === codeOf.written && !isWritten(texts.bytes(words[at + 5]!))) return "tells of no write to a file";
      if (code === codeOf.request && size >= requestKinds.length) return `has an unknown request ${size}`;
    }
    if (code !== codeOf.map && words[at + 3]! >= contextCount) return "names a calling context that is not there";
  }
  return undefined;
}

function checkCounts({ source, recorder }: Reading, done: Uint8Array): void {
  const view = new DataView(done.buffer);
  const said = [Number(view.getBigUint64(0, true)), ...[8, 12, 16].map((at) => view.getUint32(at, true))];
  const { contexts, texts, sites } = recorder.tables;
  const found = [recorder.count, contexts.count, texts.count, sites.size];
  if (said.some((count, index) => count !== found[index]))
    throw errors.block(source.name, source.size - blockHeaderBytes - done.length, "counts other events than there are");
}

function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(payload));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isNamedSite = (value: unknown): value is NamedSite =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as NamedSite).site === "number" &&
  Array.isArray((value as NamedSite).frames) &&
  (value as NamedSite).frames.every(
    (frame) => typeof frame === "object" && frame !== null && typeof frame.address === "number",
  );
