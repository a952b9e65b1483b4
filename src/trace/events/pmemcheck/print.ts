/** A trace as pmemcheck's log, as it prints with --log-stores=yes --log-stores-stacktraces=yes. Fences are for all threads. */

import { printable } from "../../../base/index.ts";
import { codeOf, recordWords } from "../../record/index.ts";
import { decodeEvent, type TraceEvent } from "../events.ts";
import type { Frame } from "../frame.ts";
import type { EventSink } from "../sink.ts";
import type { TraceTables } from "../tables.ts";
import { printFrame } from "./frames.ts";
import { continuedFlush } from "./parse.ts";

export interface LogOptions {
  write(text: string): void;
  /** The frames of a site and its callers, innermost first. */
  frames(site: number, stack: number): readonly Frame[];
}

const hex = (number: number | bigint): string => `0x${number.toString(16)}`;
const lineBytes = 64;
/** Printed as FENCE. A load fence persists nothing. */
const fences: ReadonlySet<TraceEvent["kind"]> = new Set(["sfence", "mfence", "locked"]);

export class PmemcheckLog implements EventSink {
  readonly #tables: TraceTables;
  readonly #options: LogOptions;
  readonly #stacks = new Map<string, string>();

  constructor(tables: TraceTables, options: LogOptions) {
    this.#tables = tables;
    this.#options = options;
    options.write("START");
  }

  events(words: Uint32Array, first: number): void {
    for (let index = 0; index < words.length / recordWords; index++) {
      const head = words[index * recordWords]! & 0xff;
      const low = words[index * recordWords + 4]!;
      if (head <= codeOf.clwb) this.#flush(words[index * recordWords + 2]!, low);
      else this.#print(decodeEvent(words, index, first + index, this.#tables.texts));
    }
  }

  end(): void {
    this.#options.write("|STOP\n");
  }

  #flush(address: number, asked: number): void {
    if (asked === continuedFlush) return;
    const start = asked === 0 ? address - (address % lineBytes) : address;
    this.#options.write(`|FLUSH;${hex(this.#original(start))};${hex(asked === 0 ? lineBytes : asked)}`);
  }

  #original(address: number): number {
    return this.#tables.original(address);
  }

  #print(event: TraceEvent): void {
    const { write } = this.#options;
    if (event.kind === "store" || event.kind === "non-temporal") {
      write(`|STORE;${hex(this.#original(event.address))};${hex(event.value)};${hex(event.size)}${this.#stack(event)}`);
      // A non-temporal store needs no flush of its own, and the log has no other way to say so.
      if (event.kind === "non-temporal") write(`|FLUSH;${hex(this.#original(event.address))};${hex(event.size)}`);
    } else if (fences.has(event.kind)) write("|FENCE");
    else if (event.kind === "map" && event.persistent)
      write(
        `|REGISTER_FILE;${printable(event.path)};${hex(this.#original(event.start))};${hex(event.length)};${hex(event.offset)}`,
      );
    else if (event.kind === "msync") write(`|FLUSH;${hex(this.#original(event.start))};${hex(event.length)}|FENCE`);
    else if (event.kind === "marker") write(`|${printable(event.text)}`);
  }

  #stack({ site, stack }: TraceEvent): string {
    const key = `${site}:${stack}`;
    const known = this.#stacks.get(key);
    if (known !== undefined) return known;
    let text = "";
    let inlined = false;
    for (const frame of this.#options.frames(site, stack)) {
      text += `${inlined ? "" : ";"}${printable(printFrame(frame))}`;
      inlined = frame.inlined;
    }
    this.#stacks.set(key, text);
    return text;
  }
}
