/**
 * The log that pmemcheck writes with --log-stores=yes, as a trace: `START|REGISTER_FILE;path;base;size;offset|
 * STORE;address;value;size;frame…|FLUSH;address;size|FENCE|…|STOP`. Always:
 * - Everything belongs to thread 1: the log names no threads, and its fences are for all.
 * - A flush of a range is one clwb per line; the first keeps the range's length (docs/btrace.md).
 * - Anything else between the bars is a user's marker.
 */
import { InputError } from "../../../base/index.ts";
import { codeOf, headOf, piecesOf, recordWords } from "../../record/index.ts";
import type { EventBody } from "../events.ts";
import { Recorder } from "../recorder.ts";
import type { SinkFactory } from "../sink.ts";
import type { TraceTables } from "../tables.ts";
import { AddressMap } from "./addresses.ts";
import { parseFrames } from "./frames.ts";

export interface PmemcheckTrace {
  readonly tables: TraceTables;
  readonly count: number;
}

const thread = 1;
/** A further line of a flushed range. */
export const continuedFlush = 0xffff_ffff;
const lineBytes = 64;

const problem = (name: string, what: string, facts: Readonly<Record<string, unknown>> = {}) =>
  new InputError("pmemcheck/log", `${name} ${what}`, { name, ...facts });

export function parsePmemcheckLog(name: string, text: string, sinks: readonly SinkFactory[]): PmemcheckTrace {
  return new LogReader(name, sinks).read(text);
}

class LogReader {
  readonly #name: string;
  readonly #recorder: Recorder;
  readonly #addresses = new AddressMap();
  readonly #siteNumbers = new Map<string, number>();
  readonly #stacks = new Map<string, { readonly site: number; readonly stack: number }>();
  readonly #children = new Map<string, number>();
  readonly #record = new Uint32Array(recordWords);
  #entry = 0;

  constructor(name: string, sinks: readonly SinkFactory[]) {
    this.#name = name;
    this.#recorder = new Recorder(sinks);
    this.#recorder.tables.original = (address) => this.#addresses.original(address);
  }

  read(text: string): PmemcheckTrace {
    const start = /(?:^|\n|-- ?|== ?)START\|/.exec(text);
    const begin = start === null ? text.trimEnd().endsWith("START") : true;
    if (!begin) throw problem(this.#name, "is not a pmemcheck log: it has no START. Record it with --log-stores=yes.");
    let at = start === null ? text.length : start.index + start[0].length;
    let stopped = false;
    while (!stopped && at < text.length) {
      const bar = text.indexOf("|", at);
      const entry = text.slice(at, bar < 0 ? text.length : bar);
      at = bar < 0 ? text.length : bar + 1;
      this.#entry++;
      stopped = this.#take(cleaned(entry));
    }
    if (!stopped) throw problem(this.#name, "ends before its STOP: the log is truncated. Record it again.");
    this.#recorder.end();
    const { tables, count } = this.#recorder;
    return { tables, count };
  }

  /** Takes one entry; true for the last. */
  #take(entry: string): boolean {
    const [word, ...fields] = entry.split(";");
    if (word === "STOP") return true;
    const take = this.#entries[word!];
    if (take === undefined) this.#note({ kind: "marker", text: entry });
    else take(fields, entry);
    return false;
  }

  readonly #entries: Readonly<Record<string, (fields: readonly string[], entry: string) => void>> = {
    REGISTER_FILE: (fields, entry) => {
      const [size, offset] = [this.#number(fields.at(-2), entry), this.#number(fields.at(-1), entry)];
      const base = this.#number(fields.at(-3), entry);
      const path = fields.slice(0, -3).join(";");
      this.#claim(base, size);
      for (const piece of this.#addresses.pieces(base, size)) {
        const { start, length } = piece;
        this.#note({
          kind: "map",
          start,
          length,
          path,
          offset: offset + piece.skipped,
          persistent: true,
          executable: false,
        });
      }
    },
    STORE: ([address, value, size, ...frames], entry) => {
      const bytes = this.#number(size, entry);
      if (bytes < 1 || bytes > 64 || value === undefined) throw this.#wrong(entry);
      const place = this.#placeOf(frames.join(";"), frames, entry);
      this.#store(this.#address(this.#number(address, entry)), this.#value(value, entry), bytes, place);
    },
    FLUSH: ([address, size], entry) => {
      const start = this.#address(this.#number(address, entry));
      const length = this.#number(size, entry);
      const end = start + Math.max(1, length);
      if (length >= continuedFlush) throw this.#wrong(entry);
      this.#raw(codeOf.clwb, 0, start, length);
      for (let line = start - (start % lineBytes) + lineBytes; line < end; line += lineBytes)
        this.#raw(codeOf.clwb, 0, line, continuedFlush);
    },
    FENCE: () => this.#raw(codeOf.sfence, 0, 0, 0),
  };

  #note(body: EventBody): void {
    this.#recorder.note({ thread, site: 0, stack: 0 }, body);
  }

  #raw(code: number, size: number, address: number, low: number, high = 0, place = { site: 0, stack: 0 }): void {
    this.#record.set([headOf(code, size, thread), place.site, address, place.stack, low, high]);
    this.#recorder.append(this.#record);
  }

  #store(address: number, value: bigint, size: number, place: { readonly site: number; readonly stack: number }): void {
    for (const piece of piecesOf(address, size)) {
      const bits = BigInt.asUintN(8 * piece.bytes, value >> BigInt(8 * piece.skipped));
      this.#raw(codeOf.store, piece.size, piece.address, Number(bits & 0xffff_ffffn), Number(bits >> 32n), place);
    }
  }

  #address(original: number): number {
    const placed = this.#addresses.place(original);
    if (placed !== undefined) return placed;
    this.#claim(original, 1);
    return this.#addresses.place(original)!;
  }

  #claim(start: number, length: number): void {
    if (!this.#addresses.claim(start, length))
      throw problem(this.#name, "uses more than 4 GiB of persistent memory; a trace holds at most that.");
  }

  #number(text: string | undefined, entry: string): number {
    const number = Number(text);
    if (text === undefined || !/^0x[0-9a-fA-F]+$/.test(text) || !Number.isSafeInteger(number)) throw this.#wrong(entry);
    return number;
  }

  #value(text: string, entry: string): bigint {
    if (!/^0x[0-9a-fA-F]+$/.test(text)) throw this.#wrong(entry);
    return BigInt(text);
  }

  #wrong(entry: string): InputError {
    const shown = entry.length > 80 ? `${entry.slice(0, 80)}…` : entry;
    return problem(this.#name, `is corrupt: entry ${this.#entry} is "${shown}". Record it again.`, {
      entry: this.#entry,
    });
  }

  #placeOf(key: string, frames: readonly string[], entry: string): { readonly site: number; readonly stack: number } {
    const known = this.#stacks.get(key);
    if (known !== undefined) return known;
    const sites = frames.map((frame) => this.#siteOf(frame, entry));
    let stack = 0;
    for (const site of sites.slice(1).reverse()) stack = this.#childOf(stack, site);
    const place = { site: sites[0] ?? 0, stack };
    this.#stacks.set(key, place);
    return place;
  }

  #siteOf(text: string, entry: string): number {
    const known = this.#siteNumbers.get(text);
    if (known !== undefined) return known;
    const frames = parseFrames(text);
    if (frames === undefined) throw this.#wrong(entry);
    const site = this.#siteNumbers.size + 1;
    this.#siteNumbers.set(text, site);
    this.#recorder.tables.sites.set(site, frames);
    return site;
  }

  #childOf(parent: number, site: number): number {
    const key = `${parent}:${site}`;
    const known = this.#children.get(key) ?? this.#recorder.tables.contexts.add(parent, site);
    this.#children.set(key, known);
    return known;
  }
}

/** Valgrind's own messages may break into the log, a line each. */
const cleaned = (entry: string): string =>
  entry.includes("\n") ? entry.replace(/\n?(?:==|--)\d+(?:==|--)[^\n]*/g, "").replace(/\n$/, "") : entry;
