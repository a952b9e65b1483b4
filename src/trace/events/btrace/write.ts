/** Writes a .btrace file while its events arrive: tables first, then the events that refer to them. */

import { assert } from "../../../base/index.ts";
import { recordWords } from "../../record/index.ts";
import { crc32 } from "../crc32.ts";
import type { EventSink } from "../sink.ts";
import type { TraceTables } from "../tables.ts";
import {
  type BlockTag,
  type ByteTarget,
  blockHeaderBytes,
  fileHeaderBytes,
  magic,
  maxBlock,
  type TraceInfo,
  version,
} from "./format.ts";

const encoder = new TextEncoder();

export class BtraceWriter implements EventSink {
  readonly #tables: TraceTables;
  readonly #target: ByteTarget;
  readonly #info: () => TraceInfo;
  #events = 0;
  #contexts = 1;
  #texts = 0;
  #sites = 0;

  /** `info` is asked at the end, when the outcome is known. */
  constructor(tables: TraceTables, target: ByteTarget, info: () => TraceInfo = () => ({})) {
    this.#tables = tables;
    this.#target = target;
    this.#info = info;
    const header = new Uint8Array(fileHeaderBytes);
    header.set(magic);
    new DataView(header.buffer).setUint32(8, version, true);
    target.write(header);
  }

  events(words: Uint32Array): void {
    assert(words.length % recordWords === 0, "batches hold whole records");
    this.#writeTables();
    this.#events += words.length / recordWords;
    this.#blocks("EVNT", new Uint8Array(words.buffer, words.byteOffset, words.byteLength), 4 * recordWords);
  }

  end(): void {
    this.#writeTables();
    this.#writeSites();
    this.#block("INFO", encoder.encode(JSON.stringify(this.#info())));
    const counts = new Uint8Array(20);
    const view = new DataView(counts.buffer);
    view.setBigUint64(0, BigInt(this.#events), true);
    view.setUint32(8, this.#contexts, true);
    view.setUint32(12, this.#texts, true);
    view.setUint32(16, this.#sites, true);
    this.#block("DONE", counts);
  }

  #writeTables(): void {
    const { contexts, texts } = this.#tables;
    assert(contexts.count >= this.#contexts && texts.count >= this.#texts, "tables only grow");
    if (contexts.count > this.#contexts) {
      const pairs = contexts.since(this.#contexts);
      this.#blocks("CTXT", new Uint8Array(pairs.buffer, pairs.byteOffset, pairs.byteLength), 8);
      this.#contexts = contexts.count;
    }
    for (; this.#texts < texts.count; this.#texts++) this.#block("TEXT", texts.bytes(this.#texts));
  }

  #writeSites(): void {
    const sites = this.#tables.sites.entries().map(([site, frames]) => ({ site, frames }));
    this.#sites = sites.length;
    const batch = 4096;
    for (let at = 0; at < sites.length; at += batch)
      this.#block("SITE", encoder.encode(JSON.stringify(sites.slice(at, at + batch))));
  }

  /** A payload of equal entries, in as many blocks as it needs. */
  #blocks(tag: BlockTag, payload: Uint8Array, entryBytes: number): void {
    assert(payload.length % entryBytes === 0, "blocks hold whole entries");
    const step = maxBlock - (maxBlock % entryBytes);
    for (let at = 0; at < payload.length; at += step) this.#block(tag, payload.subarray(at, at + step));
  }

  #block(tag: BlockTag, payload: Uint8Array): void {
    const header = new Uint8Array(blockHeaderBytes);
    header.set(encoder.encode(tag));
    const view = new DataView(header.buffer);
    view.setUint32(4, payload.length, true);
    view.setUint32(8, crc32(payload), true);
    this.#target.write(header);
    if (payload.length > 0) this.#target.write(payload);
  }
}
