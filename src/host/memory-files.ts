/** A host tree that lives in memory: the same port as the real one, for tests that must not depend on a disk. */
import type { HostEntry, HostFiles, HostStat } from "../base/index.ts";

const ENOENT = 2;
const EACCES = 13;
const EEXIST = 17;
const ENOTDIR = 20;
const EISDIR = 21;
const EINVAL = 22;
const ENOTEMPTY = 39;

interface Node {
  readonly kind: "file" | "directory" | "symlink";
  readonly ino: bigint;
  mode: number;
  bytes: Uint8Array;
  target: string;
  children: Map<string, Node>;
  modified: bigint;
  nlink: number;
}

/** What a test describes: contents, a link, or an empty directory, by absolute path. */
export type MemoryEntry = string | Uint8Array | { readonly link: string } | { readonly directory: true; mode?: number };

export class MemoryFiles implements HostFiles {
  readonly uid = 1000;
  readonly gid = 1000;
  /** How many changing calls were made: isolation tests expect none. */
  changes = 0;
  #nextIno = 1n;
  readonly #root = this.#node("directory", 0o755);
  /** Files that were to lose their names. */
  readonly #kept = new Map<string, Node>();

  constructor(entries: Readonly<Record<string, MemoryEntry>>) {
    for (const [path, entry] of Object.entries(entries)) this.#plant(path, entry);
  }

  /** Here no link is ever followed. */
  hold(path: string): number {
    const node = this.#find(path);
    return typeof node === "number" ? node : node.kind === "directory" ? 0 : -ENOTDIR;
  }

  lstat(path: string): HostStat | number {
    const node = this.#find(path);
    if (typeof node === "number") return node;
    const size = node.kind === "symlink" ? node.target.length : node.bytes.length;
    const { kind, mode, ino, modified, nlink } = node;
    return { kind, mode, size, modified, ino, dev: 1n, nlink, uid: this.uid, gid: this.gid };
  }

  readlink(path: string): string | number {
    const node = this.#find(path);
    return typeof node === "number" ? node : node.kind === "symlink" ? node.target : -EINVAL;
  }

  readdir(path: string): readonly HostEntry[] | number {
    const node = this.#find(path);
    if (typeof node === "number") return node;
    return node.kind === "directory" ? [...node.children].map(([name, { kind }]) => ({ name, kind })) : -ENOTDIR;
  }

  read(path: string, offset: number, into: Uint8Array): number {
    const node = this.#find(path);
    if (typeof node === "number") return node;
    const part = node.bytes.subarray(offset, offset + into.length);
    into.set(part);
    return part.length;
  }

  keep(path: string): string | number {
    const node = this.#find(path);
    if (typeof node === "number") return node;
    const name = `kept ${this.#kept.size}`;
    this.#kept.set(name, node);
    return name;
  }

  permits(path: string, mask: number): boolean {
    const node = this.#find(path);
    return typeof node !== "number" && ((node.mode >> 6) & mask) === mask;
  }

  write(path: string, offset: number, bytes: Uint8Array): number {
    const node = this.#changed(path);
    if (typeof node === "number") return node;
    if (offset + bytes.length > node.bytes.length) node.bytes = grown(node.bytes, offset + bytes.length);
    node.bytes.set(bytes, offset);
    return bytes.length;
  }

  truncate(path: string, size: number): number {
    const node = this.#changed(path);
    if (typeof node === "number") return node;
    node.bytes = grown(node.bytes.subarray(0, size), size);
    return 0;
  }

  create(path: string, mode: number): number {
    return this.#add(path, this.#node("file", mode));
  }

  mkdir(path: string, mode: number): number {
    return this.#add(path, this.#node("directory", mode));
  }

  symlink(target: string, path: string): number {
    return this.#add(path, Object.assign(this.#node("symlink", 0o777), { target }));
  }

  link(existing: string, path: string): number {
    const node = this.#find(existing);
    if (typeof node === "number") return node;
    const done = this.#add(path, node);
    if (done === 0) node.nlink++;
    return done;
  }

  unlink(path: string): number {
    const node = this.#find(path);
    if (typeof node === "number") return node;
    if (node.kind === "directory") return -EISDIR;
    node.nlink--;
    return this.#drop(path);
  }

  rmdir(path: string): number {
    const node = this.#find(path);
    if (typeof node === "number") return node;
    if (node.kind !== "directory") return -ENOTDIR;
    return node.children.size > 0 ? -ENOTEMPTY : this.#drop(path);
  }

  rename(from: string, to: string): number {
    const node = this.#find(from);
    if (typeof node === "number") return node;
    if (typeof this.#find(to) !== "number") this.#drop(to);
    this.#drop(from);
    return this.#add(to, node);
  }

  chmod(path: string, mode: number): number {
    const node = this.#changed(path);
    if (typeof node === "number") return node;
    node.mode = mode;
    return 0;
  }

  setTimes(path: string, _accessed: bigint, modified: bigint): number {
    const node = this.#changed(path);
    if (typeof node === "number") return node;
    node.modified = modified;
    return 0;
  }

  /** A file's contents, for a test to look at. */
  contents(path: string): Uint8Array | undefined {
    const node = this.#find(path);
    return typeof node === "number" ? undefined : node.bytes;
  }

  #node(kind: Node["kind"], mode: number): Node {
    const ino = this.#nextIno++;
    return { kind, ino, mode, bytes: new Uint8Array(), target: "", children: new Map(), modified: 0n, nlink: 1 };
  }

  #plant(path: string, entry: MemoryEntry): void {
    const names = path.split("/").filter((name) => name !== "");
    let at = this.#root;
    for (const name of names.slice(0, -1)) {
      const below = at.children.get(name) ?? this.#node("directory", 0o755);
      at.children.set(name, below);
      at = below;
    }
    at.children.set(names.at(-1) as string, this.#describe(entry));
  }

  #describe(entry: MemoryEntry): Node {
    if (typeof entry === "string") return this.#describe(new TextEncoder().encode(entry));
    if (entry instanceof Uint8Array) return Object.assign(this.#node("file", 0o644), { bytes: entry.slice() });
    if ("link" in entry) return Object.assign(this.#node("symlink", 0o777), { target: entry.link });
    return this.#node("directory", entry.mode ?? 0o755);
  }

  #find(path: string): Node | number {
    let at = this.#kept.get(path) ?? this.#root;
    if (at !== this.#root) return at;
    for (const name of path.split("/").filter((part) => part !== "")) {
      if (at.kind !== "directory") return -ENOTDIR;
      if ((at.mode & 0o100) === 0) return -EACCES;
      const below = at.children.get(name);
      if (below === undefined) return -ENOENT;
      at = below;
    }
    return at;
  }

  #changed(path: string): Node | number {
    this.changes++;
    return this.#find(path);
  }

  #parent(path: string): { readonly parent: Node; readonly name: string } | number {
    const slash = path.lastIndexOf("/");
    const parent = this.#find(path.slice(0, slash));
    if (typeof parent === "number") return parent;
    return parent.kind === "directory" ? { parent, name: path.slice(slash + 1) } : -ENOTDIR;
  }

  #add(path: string, node: Node): number {
    this.changes++;
    const place = this.#parent(path);
    if (typeof place === "number") return place;
    if (place.parent.children.has(place.name)) return -EEXIST;
    place.parent.children.set(place.name, node);
    return 0;
  }

  #drop(path: string): number {
    this.changes++;
    const place = this.#parent(path);
    if (typeof place === "number") return place;
    place.parent.children.delete(place.name);
    return 0;
  }
}

function grown(bytes: Uint8Array, size: number): Uint8Array {
  const larger = new Uint8Array(size);
  larger.set(bytes);
  return larger;
}
