/** Versions of files on their way to other computers: each entry is one message, named by its contents, and goes there once. */
import { assert } from "../base/index.ts";
import { type FileVersions, versionBefore } from "../crash/states/index.ts";
import { type FileContents, type FileEntry, type FileVersion, pagesIn, withPages } from "../machine/index.ts";
import { decodePlain, encodePlain, type GetPiece, type PutPiece } from "./wire.ts";

const pageBytes = 4096;

/** Versions by number, their entries by path, as names of pieces. */
export type NamedVersions = readonly (readonly [version: number, entries: ReadonlyMap<string, string>])[];

type FileOfVersion = Extract<FileEntry, { readonly kind: "file" }>;
type SentFile = Omit<FileOfVersion, "contents"> & {
  readonly facts: Omit<FileContents, "pages">;
  readonly numbers: Uint32Array;
  readonly pages: Uint8Array;
};

function sentFile({ contents, ...rest }: FileOfVersion): SentFile {
  const { pages: _, ...facts } = contents;
  const own = [...pagesIn(contents)];
  const pages = new Uint8Array(own.length * pageBytes);
  for (const [at, [, bytes]] of own.entries()) pages.set(bytes, at * pageBytes);
  return { ...rest, facts, numbers: Uint32Array.from(own, ([number]) => number), pages };
}

function receivedFile({ facts, numbers, pages, ...rest }: SentFile): FileOfVersion {
  const own = Array.from(
    numbers,
    (number, at) => [number, pages.subarray(at * pageBytes, (at + 1) * pageBytes)] as const,
  );
  return { ...rest, contents: withPages(facts, own) };
}

/** In the leader. */
export class NamedEntries {
  readonly #source: FileVersions;
  readonly #put: PutPiece;
  readonly #names = new WeakMap<FileEntry, string>();

  constructor(source: FileVersions, put: PutPiece) {
    this.#source = source;
    this.#put = put;
  }

  take(versions: Iterable<number>): NamedVersions {
    return Array.from(versions, (version) => {
      const entries = [...this.#source.read(version)].map(([path, entry]) => [path, this.#nameOf(entry)] as const);
      return [version, new Map(entries)] as const;
    });
  }

  #nameOf(entry: FileEntry): string {
    const known = this.#names.get(entry);
    if (known !== undefined) return known;
    const sent = entry.kind === "file" ? sentFile(entry) : entry;
    const name = this.#put(Buffer.from(encodePlain(sent, this.#put)));
    this.#names.set(entry, name);
    return name;
  }
}

/** In a worker. */
export class ReceivedVersions implements FileVersions {
  readonly #starts: ArrayLike<number>;
  readonly #get: GetPiece;
  #entries = new Map<string, FileEntry>();
  #known: ReadonlyMap<number, FileVersion> = new Map();

  constructor(starts: ArrayLike<number>, get: GetPiece) {
    this.#starts = starts;
    this.#get = get;
  }

  /** In place of those known before; entries that these have, too, stay. */
  know(versions: NamedVersions): void {
    const entries = new Map<string, FileEntry>();
    const received = (name: string): FileEntry => {
      const entry = entries.get(name) ?? this.#entries.get(name) ?? this.#receive(name);
      entries.set(name, entry);
      return entry;
    };
    this.#known = new Map(
      versions.map(([version, named]) => [version, new Map([...named].map(([path, name]) => [path, received(name)]))]),
    );
    this.#entries = entries;
  }

  versionAt(seq: number): number {
    return versionBefore(this.#starts, seq);
  }

  read(version: number): FileVersion {
    const files = this.#known.get(version);
    assert(files !== undefined, "a version is sent before a crash that needs it is judged");
    return files;
  }

  #receive(name: string): FileEntry {
    const sent = decodePlain(Buffer.from(this.#get(name)).toString(), this.#get) as FileEntry | SentFile;
    return sent.kind === "file" ? receivedFile(sent as SentFile) : (sent as FileEntry);
  }
}
