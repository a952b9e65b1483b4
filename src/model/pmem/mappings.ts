/** Which persistent file lies at which address, as a trace's map and unmap events tell. A file is its path. */
import type { FilePlace } from "./tracker/index.ts";

export interface Mapping {
  readonly start: number;
  readonly end: number;
  readonly file: number;
  /** Of `start` in the file. */
  readonly offset: number;
}

/** A mapping with its file by name. */
export interface MappedFile extends Omit<Mapping, "file"> {
  readonly path: string;
}

export class Mappings {
  #live: readonly Mapping[] = [];
  readonly #paths: string[] = [];
  readonly #numbers = new Map<string, number>();
  #last: Mapping | undefined;

  /** The path of a file's number. */
  path(file: number): string {
    return this.#paths[file]!;
  }

  /** Of every file so far, by its number. */
  get paths(): readonly string[] {
    return this.#paths;
  }

  /** What is mapped now, in order of addresses. */
  shown(): readonly MappedFile[] {
    return this.#live
      .map(({ start, end, file, offset }) => ({ start, end, offset, path: this.path(file) }))
      .sort((a, b) => a.start - b.start);
  }

  /** True when no mapping showed the file before. */
  map(path: string, start: number, length: number, offset: number): { readonly file: number; readonly fresh: boolean } {
    this.unmap(start, length);
    const file = this.#numbers.get(path) ?? this.#paths.push(path) - 1;
    this.#numbers.set(path, file);
    const fresh = !this.#live.some((mapping) => mapping.file === file);
    this.#live = [...this.#live, { start, end: start + length, file, offset }];
    return { file, fresh };
  }

  unmap(start: number, length: number): void {
    const end = start + length;
    this.#last = undefined;
    this.#live = this.#live.flatMap((mapping) => {
      if (mapping.end <= start || mapping.start >= end) return [mapping];
      const before = { ...mapping, end: start };
      const after = { ...mapping, start: end, offset: mapping.offset + end - mapping.start };
      return [before, after].filter((part) => part.start < part.end);
    });
  }

  /** Undefined for memory that is not of a persistent file. */
  at(address: number): FilePlace | undefined {
    let last = this.#last;
    if (last === undefined || address < last.start || address >= last.end) {
      last = this.#live.find(({ start, end }) => start <= address && address < end);
      this.#last = last;
    }
    return last && { file: last.file, offset: last.offset + address - last.start };
  }

  /** The mapping that an address lies in. */
  around(address: number): { readonly start: number; readonly length: number } | undefined {
    const found = this.#live.find(({ start, end }) => start <= address && address < end);
    return found && { start: found.start, length: found.end - found.start };
  }

  /** The number of a file that was mapped at any time. */
  numberOf(path: string): number | undefined {
    return this.#numbers.get(path);
  }

  /** Where bytes of a file are mapped now. */
  *showing(file: number, from: number, to: number): Iterable<{ readonly start: number; readonly end: number }> {
    for (const mapping of this.#live) {
      if (mapping.file !== file) continue;
      const shift = mapping.start - mapping.offset;
      const [start, end] = [Math.max(from + shift, mapping.start), Math.min(to + shift, mapping.end)];
      if (start < end) yield { start, end };
    }
  }

  /** The parts of persistent files that a range of addresses shows. */
  *within(start: number, length: number): Iterable<{ file: number; from: number; to: number }> {
    for (const mapping of this.#live) {
      const from = Math.max(start, mapping.start);
      const to = Math.min(start + length, mapping.end);
      const shift = mapping.offset - mapping.start;
      if (from < to) yield { file: mapping.file, from: from + shift, to: to + shift };
    }
  }
}
