/** Versions of files that were read elsewhere and sent here; only those that were sent can be read. */
import { assert } from "../base/index.ts";
import { type FileEntry, type FileVersion, type FileVersions, versionBefore } from "./files.ts";

export type NumberedVersion = readonly [version: number, files: FileVersion];

export class KnownVersions implements FileVersions {
  readonly #starts: ArrayLike<number>;
  #known: ReadonlyMap<number, FileVersion> = new Map();

  /** `starts` are the events that versions begin at. */
  constructor(starts: ArrayLike<number>) {
    this.#starts = starts;
  }

  /** In place of those known before. */
  know(versions: Iterable<NumberedVersion>): void {
    this.#known = new Map(versions);
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

/** Turns versions into ones that threads share: contents that did not change from one to the next are there once. */
export class SharedVersions {
  readonly #source: FileVersions;
  #kept = new Map<number, FileVersion>();
  #last: FileVersion = new Map();

  constructor(source: FileVersions) {
    this.#source = source;
  }

  /** These versions and no others are kept for the next call. */
  take(versions: Iterable<number>): NumberedVersion[] {
    const taken = [...versions].map(
      (version): NumberedVersion => [version, this.#kept.get(version) ?? this.#share(version)],
    );
    this.#kept = new Map(taken);
    return taken;
  }

  #share(version: number): FileVersion {
    const shared = [...this.#source.read(version)].map(([path, entry]): readonly [string, FileEntry] => {
      if (entry.kind !== "file") return [path, entry];
      const before = this.#last.get(path);
      const same = before?.kind === "file" && before.number === entry.number;
      return [path, same ? before : { ...entry, bytes: sharedCopy(entry.bytes) }];
    });
    this.#last = new Map(shared);
    return this.#last;
  }
}

function sharedCopy(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
