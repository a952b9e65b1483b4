/** Versions of files on their way to other threads: own pages lie in shared memory, the rest is copied. */
import { assert } from "../../base/index.ts";
import { type FileContents, type FileEntry, type FileVersion, pagesIn, withPages } from "../../machine/index.ts";
import { type FileVersions, versionBefore } from "./files.ts";
import { pageAt, SharedPages } from "./shared-pages.ts";

type SentEntry =
  | Exclude<FileEntry, { readonly kind: "file" }>
  | (Omit<Extract<FileEntry, { readonly kind: "file" }>, "contents"> & {
      readonly facts: Omit<FileContents, "pages">;
      /** Of its own pages, and where these lie. */
      readonly numbers: Uint32Array;
      readonly places: Uint32Array;
    });

export interface SentVersions {
  readonly versions: readonly (readonly [version: number, files: ReadonlyMap<string, SentEntry>])[];
  readonly chunks: readonly SharedArrayBuffer[];
}

/** Versions that were sent here; only those can be read. */
export class KnownVersions implements FileVersions {
  readonly #starts: ArrayLike<number>;
  #known: ReadonlyMap<number, FileVersion> = new Map();

  /** `starts` are the events that versions begin at. */
  constructor(starts: ArrayLike<number>) {
    this.#starts = starts;
  }

  /** In place of those known before; entries that are known stay. */
  know({ versions, chunks }: SentVersions): void {
    const before = new Map<number, FileEntry>();
    for (const files of this.#known.values()) for (const entry of files.values()) before.set(entry.number, entry);
    const received = (entry: SentEntry): FileEntry => {
      const known = before.get(entry.number) ?? receive(entry, chunks);
      before.set(entry.number, known);
      return known;
    };
    this.#known = new Map(
      versions.map(([version, files]) => [version, new Map([...files].map(([path, sent]) => [path, received(sent)]))]),
    );
  }

  versionAt(seq: number): number {
    return versionBefore(this.#starts, seq);
  }

  read(version: number): FileVersion {
    const files = this.#known.get(version);
    assert(files !== undefined, "a version is sent before a crash that needs it is judged");
    return files;
  }
}

function receive(entry: SentEntry, chunks: readonly SharedArrayBuffer[]): FileEntry {
  if (entry.kind !== "file") return entry;
  const { facts, numbers, places, ...rest } = entry;
  const pages = Array.from(numbers, (number, at) => [number, pageAt(chunks, places[at]!)] as const);
  return { ...rest, contents: withPages(facts, pages) };
}

/** Shared pages that no version has any more are let go when there are so many, and many times those that are needed. */
const pagesKept = 8192;
const pagesPerNeeded = 4;

/** Makes versions ready to be sent. */
export class SharedVersions {
  readonly #source: FileVersions;
  #pages = new SharedPages();
  #sent = new Map<FileEntry, SentEntry>();

  constructor(source: FileVersions) {
    this.#source = source;
  }

  /** What these versions have in common with those of the last call is shared with them. */
  take(versions: Iterable<number>): SentVersions {
    const files = [...versions].map((version) => [version, this.#source.read(version)] as const);
    const entries = new Set(files.flatMap(([, version]) => [...version.values()]));
    const needed = [...entries].reduce(
      (sum, entry) => sum + (entry.kind === "file" ? entry.contents.pages.size : 0),
      0,
    );
    if (this.#pages.count > Math.max(pagesKept, pagesPerNeeded * needed)) {
      this.#pages = new SharedPages();
      this.#sent.clear();
    }
    this.#sent = new Map([...entries].map((entry) => [entry, this.#sent.get(entry) ?? this.#send(entry)]));
    const sent = files.map(
      ([version, of]) => [version, new Map([...of].map(([path, entry]) => [path, this.#sent.get(entry)!]))] as const,
    );
    return { versions: sent, chunks: this.#pages.chunks };
  }

  #send(entry: FileEntry): SentEntry {
    if (entry.kind !== "file") return entry;
    const { contents, ...rest } = entry;
    const { pages: _, ...facts } = contents;
    const own = [...pagesIn(contents)];
    return {
      ...rest,
      facts,
      numbers: Uint32Array.from(own, ([number]) => number),
      places: Uint32Array.from(own, ([, bytes]) => this.#pages.add(bytes)),
    };
  }
}
