/**
 * The real file tree of the host behind the HostFiles port (src/base/host-files.ts). Always:
 * - Only regular files are opened, never through a symbolic link in the last component and never waiting (a FIFO cannot
 *   hang the machine). Below a held directory no component is followed (held.ts).
 * - The looking half changes nothing. A few files stay open between reads; they are let go when the name changes.
 * - No set-user-id or set-group-id bit is ever given to a file.
 */
import * as fs from "node:fs";
import type { HostEntry, HostFiles, HostKind, HostStat } from "../base/index.ts";
import { attempt } from "./errors.ts";
import { behind, HeldDirectories, native, O_PATH } from "./held.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;
const SAFE = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
const OPEN_FILES_MAX = 64;
const KEPT_FILES_MAX = 256;
const EMFILE = 24;
const ENOENT = 2;
const EINVAL = 22;
/** Permission bits that a guest may set on the host: all but the set-id bits. */
const PERMITTED_BITS = 0o1777;

type NativePath = string | Buffer;

interface Typed {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

function kindOf(found: Typed): HostKind {
  if (found.isFile()) return "file";
  if (found.isDirectory()) return "directory";
  return found.isSymbolicLink() ? "symlink" : "other";
}

/** Descriptors of trees that nobody has any more: whoever makes one after another runs out of none. */
const forgotten = new FinalizationRegistry<readonly ReadonlyMap<string, number>[]>((maps) => {
  for (const map of maps) for (const fd of map.values()) fs.closeSync(fd);
});

export class RealFiles implements HostFiles {
  readonly uid = process.geteuid?.() ?? 0;
  readonly gid = process.getegid?.() ?? 0;
  /** Open files by access and path, least recently used first. */
  readonly #open = new Map<string, number>();

  readonly #held = new HeldDirectories();
  /** Files without a name, by what stands for it. No path looks like that: paths are absolute. */
  readonly #kept = new Map<string, number>();

  constructor() {
    forgotten.register(this, [this.#open, this.#kept]);
  }

  hold(path: string): number {
    return this.#held.hold(path);
  }

  /** Lets go of every descriptor; for who makes many of these, as a process has its descriptors for its whole life. */
  letGo(): void {
    this.close();
    for (const fd of this.#kept.values()) fs.closeSync(fd);
    this.#kept.clear();
    this.#held.close();
  }

  /** Also a name below a file is simply missing. */
  lstat(path: string): HostStat | number {
    return this.#named(path, (at) => {
      // A missing file is the common answer, and an exception costs ten times as much.
      const found = fs.lstatSync(at, { bigint: true, throwIfNoEntry: false });
      if (found === undefined) return -ENOENT;
      return {
        kind: kindOf(found),
        mode: Number(found.mode) & 0o7777,
        size: Number(found.size),
        modified: found.mtimeNs,
        ino: found.ino,
        dev: found.dev,
        nlink: Number(found.nlink),
        uid: Number(found.uid),
        gid: Number(found.gid),
      };
    });
  }

  readlink(path: string): string | number {
    return this.#named(path, (at) => fs.readlinkSync(at, "latin1"));
  }

  readdir(path: string): readonly HostEntry[] | number {
    const at = this.#held.directoryOf(path);
    if (typeof at === "number") return at;
    return attempt(() => {
      const entries = fs.readdirSync(native(at), { encoding: "latin1", withFileTypes: true });
      return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    });
  }

  read(path: string, offset: number, into: Uint8Array): number {
    return attempt(() => {
      const fd = this.#openFile(path, O_RDONLY);
      if (fd < 0) return fd;
      let done = 0;
      while (done < into.length) {
        const count = fs.readSync(fd, into, done, into.length - done, offset + done);
        if (count === 0) break;
        done += count;
      }
      return done;
    });
  }

  keep(path: string): string | number {
    if (this.#kept.size >= KEPT_FILES_MAX) return -EMFILE;
    return attempt(() => {
      const fd = this.#openFile(path, O_RDONLY);
      if (fd < 0) return fd;
      this.#open.delete(`${O_RDONLY}:${path}`);
      const name = `kept ${this.#kept.size}`;
      this.#kept.set(name, fd);
      return name;
    });
  }

  permits(path: string, mask: number): boolean {
    const asked = this.#held.covers(path)
      ? this.#pinned(path, (at) => fs.accessSync(at, mask))
      : attempt(() => fs.accessSync(native(path), mask));
    return asked === undefined;
  }

  write(path: string, offset: number, bytes: Uint8Array): number {
    return attempt(() => {
      const fd = this.#openFile(path, O_WRONLY);
      if (fd < 0) return fd;
      let done = 0;
      while (done < bytes.length) done += fs.writeSync(fd, bytes, done, bytes.length - done, offset + done);
      return done;
    });
  }

  truncate(path: string, size: number): number {
    return attempt(() => {
      const fd = this.#openFile(path, O_WRONLY);
      if (fd < 0) return fd;
      fs.ftruncateSync(fd, size);
      return 0;
    });
  }

  create(path: string, mode: number): number {
    return this.#change(path, (at) => {
      const fd = fs.openSync(at, O_WRONLY | O_CREAT | O_EXCL | SAFE, mode & PERMITTED_BITS);
      fs.fchmodSync(fd, mode & PERMITTED_BITS);
      fs.closeSync(fd);
    });
  }

  mkdir(path: string, mode: number): number {
    return this.#change(path, (at) => fs.mkdirSync(at, mode & PERMITTED_BITS));
  }

  symlink(target: string, path: string): number {
    return this.#change(path, (at) => fs.symlinkSync(native(target), at));
  }

  link(existing: string, path: string): number {
    return this.#changeBoth(existing, path, fs.linkSync);
  }

  unlink(path: string): number {
    return this.#change(path, (at) => fs.unlinkSync(at));
  }

  rmdir(path: string): number {
    return this.#change(path, (at) => fs.rmdirSync(at));
  }

  rename(from: string, to: string): number {
    return this.#changeBoth(from, to, fs.renameSync);
  }

  chmod(path: string, mode: number): number {
    this.close();
    return this.#pinned(path, (at) => fs.chmodSync(at, mode & PERMITTED_BITS)) ?? 0;
  }

  setTimes(path: string, accessed: bigint, modified: bigint): number {
    return this.#change(path, (at) => fs.lutimesSync(at, Number(accessed) / 1e9, Number(modified) / 1e9));
  }

  /** Closes the files that are kept open. */
  close(): void {
    for (const fd of this.#open.values()) fs.closeSync(fd);
    this.#open.clear();
  }

  /** Runs a call on what has this name; the call must not follow a link in the last component. */
  #named<Result>(path: string, call: (at: NativePath) => Result): Result | number {
    const at = this.#held.nameOf(path);
    return typeof at === "number" ? at : attempt(() => call(native(at)));
  }

  /** For calls that would follow a link: runs one on the file itself, whatever becomes of its name. */
  #pinned(path: string, call: (at: string) => void): number | undefined {
    return this.#named(path, (at) => {
      const fd = fs.openSync(at, O_PATH | O_NOFOLLOW);
      try {
        call(behind(fd));
      } finally {
        fs.closeSync(fd);
      }
    }) as number | undefined;
  }

  /** Names change: what was open under them may be something else now. */
  #change(path: string, call: (at: NativePath) => void): number {
    this.close();
    return (this.#named(path, call) as number | undefined) ?? 0;
  }

  #changeBoth(from: string, to: string, call: (from: NativePath, to: NativePath) => void): number {
    const target = this.#held.nameOf(to);
    return typeof target === "number" ? target : this.#change(from, (source) => call(source, native(target)));
  }

  #openFile(path: string, access: number): number {
    const kept = this.#kept.get(path);
    if (kept !== undefined) return kept;
    const key = `${access}:${path}`;
    const known = this.#open.get(key);
    if (known !== undefined) {
      this.#open.delete(key);
      this.#open.set(key, known);
      return known;
    }
    const fd = this.#named(path, (at) => fs.openSync(at, access | SAFE));
    if (fd < 0) return fd;
    if (!fs.fstatSync(fd).isFile()) {
      fs.closeSync(fd);
      return -EINVAL;
    }
    this.#open.set(key, fd);
    if (this.#open.size > OPEN_FILES_MAX) this.#closeOldest();
    return fd;
  }

  #closeOldest(): void {
    for (const [key, fd] of this.#open) {
      fs.closeSync(fd);
      this.#open.delete(key);
      return;
    }
  }
}
