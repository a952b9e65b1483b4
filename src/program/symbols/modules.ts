/**
 * Which file's code lay at which address, gathered from a trace's map events. Always: a later mapping takes the place of
 * an earlier one; what was unmapped stays known, since findings are told at the end.
 */

import { decodeEvent, type EventSink, type TraceTables } from "../../trace/events/index.ts";
import { codeOf, recordWords } from "../../trace/record/index.ts";

export interface Module {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** Of `start` in the file. */
  readonly offset: number;
}

export class ModuleMap implements EventSink {
  readonly onlyNotes = true;
  readonly #tables: TraceTables;
  #modules: Module[] = [];

  constructor(tables: TraceTables) {
    this.#tables = tables;
  }

  events(words: Uint32Array, first: number): void {
    for (let at = 0; at < words.length; at += recordWords) {
      if ((words[at]! & 0xff) !== codeOf.map) continue;
      const event = decodeEvent(words, at / recordWords, first, this.#tables.texts);
      if (event.kind === "map" && event.executable)
        this.add({ path: event.path, start: event.start, end: event.start + event.length, offset: event.offset });
    }
  }

  end(): void {}

  add(module: Module): void {
    const others = this.#modules.filter(({ start, end }) => end <= module.start || start >= module.end);
    this.#modules = [...others, module];
  }

  at(address: number): Module | undefined {
    return this.#modules.find(({ start, end }) => start <= address && address < end);
  }

  /** In the order they were mapped: the program itself comes first. */
  get all(): readonly Module[] {
    return this.#modules;
  }
}
