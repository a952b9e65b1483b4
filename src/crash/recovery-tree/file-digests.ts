/** What recoveries see of files beside the lines of persistent ones, as digests: equal ones are equal answers in any trace. */
import { addWord, addWords, baseName, type Digest, digestText, newDigest } from "../../base/index.ts";
import type { FileContents, FileEntry, FileVersion } from "../../machine/index.ts";

function addText(digest: Digest, text: string): void {
  addWord(digest, text.length);
  for (let at = 0; at < text.length; at++) addWord(digest, text.charCodeAt(at));
}

function addBytes(digest: Digest, bytes: Uint8Array): void {
  addWord(digest, bytes.length);
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  padded.set(bytes);
  addWords(digest, new Uint32Array(padded.buffer));
}

function digestOf(fill: (digest: Digest) => void): string {
  const digest = newDigest();
  fill(digest);
  return digestText(digest);
}

export const bytesDigest = (bytes: Uint8Array): string => digestOf((digest) => addBytes(digest, bytes));

const bytesAtOnce = 1 << 20;

export class FileDigests {
  readonly #read: (contents: FileContents, offset: number, into: Uint8Array) => void;
  readonly #entries = new WeakMap<FileEntry, string>();

  constructor(read: (contents: FileContents, offset: number, into: Uint8Array) => void) {
    this.#read = read;
  }

  listing(files: FileVersion): string {
    return digestOf((digest) => {
      for (const [path, { kind }] of files) addText(digest, `${kind} ${path}`);
    });
  }

  /** All that has this last name. What persistent files hold is asked by words. */
  name(files: FileVersion, name: string, persistent: ReadonlySet<string>): string {
    return digestOf((digest) => {
      for (const [path, entry] of files)
        if (baseName(path) === name) addText(digest, `${path} ${this.#entry(path, entry, persistent)}`);
    });
  }

  #entry(path: string, entry: FileEntry, persistent: ReadonlySet<string>): string {
    if (entry.kind === "directory") return `directory ${entry.mode}`;
    if (entry.kind !== "file") return entry.kind === "symlink" ? `symlink ${entry.target}` : entry.kind;
    const facts = `file ${entry.mode} ${entry.contents.size} ${entry.sameAs ?? ""}`;
    const pool = entry.pool ?? path;
    if (persistent.has(pool)) return `${facts} ${pool}`;
    const known = this.#entries.get(entry) ?? this.#contents(entry.contents);
    this.#entries.set(entry, known);
    return `${facts} ${known}`;
  }

  #contents(contents: FileContents): string {
    return digestOf((digest) => {
      for (let at = 0; at < contents.size; at += bytesAtOnce) {
        const bytes = new Uint8Array(Math.min(bytesAtOnce, contents.size - at));
        this.#read(contents, at, bytes);
        addBytes(digest, bytes);
      }
    });
  }
}
