/**
 * Bytes of files that depend on unknown input: given as unknown, or stored through a mapping that is gone. Always: while a shared
 * mapping shows a byte, its term is in the memory's shadow and not here.
 */
import type { Term } from "../../smt/index.ts";
import type { Guest } from "./guest.ts";

const pageSize = 4096;

export class FileTerms {
  readonly #files: Map<number, Map<number, Term>>;

  constructor(other?: FileTerms) {
    this.#files = new Map([...(other?.all ?? [])].map(([file, bytes]) => [file, new Map(bytes)]));
  }
  get all(): ReadonlyMap<number, ReadonlyMap<number, Term>> {
    return this.#files;
  }
  get(file: number, offset: number): Term | undefined {
    return this.#files.get(file)?.get(offset);
  }
  set(file: number, offset: number, term: Term | undefined): void {
    const bytes = this.#files.get(file) ?? new Map<number, Term>();
    if (term === undefined) bytes.delete(offset);
    else bytes.set(offset, term);
    if (bytes.size > 0) this.#files.set(file, bytes);
    else this.#files.delete(file);
  }
}

/** A page goes: what was stored to it through a shared mapping is the file's. */
export function pageEmptied({ port, shadow }: Guest, page: number): void {
  const address = page * pageSize;
  const terms = shadow.within(address, pageSize);
  if (terms.length === 0) return;
  const mapping = port.mappingAt(address);
  if (mapping?.shared === true)
    for (const [at, term] of terms) shadow.files.set(mapping.file, mapping.offset + (at - mapping.start), term);
  shadow.clear(address, pageSize);
}

/** Mappings show terms of their files: private ones where they begin at `fresh`, shared ones wherever they are. */
export function showInMemory({ port, shadow }: Guest, fresh: number | undefined): void {
  if (shadow.files.all.size === 0) return;
  for (const { start, end, file, offset, shared } of port.fileMappings) {
    if (!shared && start !== fresh) continue;
    for (const [at, term] of [...(shadow.files.all.get(file) ?? [])]) {
      const address = start + (at - offset);
      // A page that waits for its first use comes.
      if (address < start || address >= end || !port.canRead(address, 1)) continue;
      shadow.setByte(address, term);
      if (shared) shadow.files.set(file, at, undefined);
    }
  }
}

/** What a call reads of a file: terms by their place in what is read. */
export function termsOfFile(
  { port, shadow }: Guest,
  file: number,
  offset: number,
  length: number,
): ReadonlyMap<number, Term> {
  const found = new Map<number, Term>();
  for (const [at, term] of shadow.files.all.get(file) ?? [])
    if (at >= offset && at < offset + length) found.set(at - offset, term);
  if (shadow.bytes.size === 0) return found;
  for (const mapping of port.fileMappings) {
    if (!mapping.shared || mapping.file !== file) continue;
    const from = Math.max(offset, mapping.offset);
    const end = Math.min(offset + length, mapping.offset + mapping.end - mapping.start);
    const toAddress = mapping.start - mapping.offset;
    if (from < end)
      for (const [address, term] of shadow.within(from + toAddress, end - from))
        found.set(address - toAddress - offset, term);
  }
  return found;
}

/** A call changes the file: its bytes are what they are now, from here on. */
export function fixFile({ shadow, path }: Guest, file: number): void {
  for (const [offset, term] of [...(shadow.files.all.get(file) ?? [])]) {
    path.fix({ bits: path.worth(term), term });
    shadow.files.set(file, offset, undefined);
  }
}
