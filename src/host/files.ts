/**
 * The real file tree of the host behind the HostFiles port (src/base/host-files.ts). Always:
 * - Only regular files are opened, never through a symbolic link in the last component and never waiting (a FIFO cannot
 *   hang the machine).
 * - The looking half changes nothing. A few files stay open between reads; they are let go when the name changes.
 */
import * as fs from "node:fs";
import type { HostEntry, HostFiles, HostKind, HostStat } from "../base/index.ts";
import { attempt } from "./errors.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;
const SAFE = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
const OPEN_FILES_MAX = 64;
const ENOENT = 2;
const EINVAL = 22;

/** Byte strings to what node:fs takes; plain ASCII stays a string, which is faster. */
const native = (path: string): string | Buffer =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant
  /^[\x00-\x7f]*$/.test(path) ? path : Buffer.from(path, "latin1");

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

export class RealFiles implements HostFiles {
  readonly uid = process.geteuid?.() ?? 0;
  readonly gid = process.getegid?.() ?? 0;
  /** Open files by access and path, least recently used first. */
  readonly #open = new Map<string, number>();

  /** Also a name below a file is simply missing. */
  lstat(path: string): HostStat | number {
    return attempt(() => {
      // A missing file is the common answer, and an exception costs ten times as much.
      const found = fs.lstatSync(native(path), { bigint: true, throwIfNoEntry: false });
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
    return attempt(() => fs.readlinkSync(native(path), "latin1"));
  }

  readdir(path: string): readonly HostEntry[] | number {
    return attempt(() => {
      const entries = fs.readdirSync(native(path), { encoding: "latin1", withFileTypes: true });
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

  permits(path: string, mask: number): boolean {
    return attempt(() => fs.accessSync(native(path), mask)) === undefined;
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
    return this.#change(() => {
      const fd = fs.openSync(native(path), O_WRONLY | O_CREAT | O_EXCL | SAFE, mode);
      fs.fchmodSync(fd, mode);
      fs.closeSync(fd);
    });
  }

  mkdir(path: string, mode: number): number {
    return this.#change(() => fs.mkdirSync(native(path), mode));
  }

  symlink(target: string, path: string): number {
    return this.#change(() => fs.symlinkSync(native(target), native(path)));
  }

  link(existing: string, path: string): number {
    return this.#change(() => fs.linkSync(native(existing), native(path)));
  }

  unlink(path: string): number {
    return this.#change(() => fs.unlinkSync(native(path)));
  }

  rmdir(path: string): number {
    return this.#change(() => fs.rmdirSync(native(path)));
  }

  rename(from: string, to: string): number {
    return this.#change(() => fs.renameSync(native(from), native(to)));
  }

  chmod(path: string, mode: number): number {
    return this.#change(() => fs.chmodSync(native(path), mode));
  }

  setTimes(path: string, accessed: bigint, modified: bigint): number {
    return this.#change(() => fs.lutimesSync(native(path), Number(accessed) / 1e9, Number(modified) / 1e9));
  }

  /** Closes what is kept open. */
  close(): void {
    for (const fd of this.#open.values()) fs.closeSync(fd);
    this.#open.clear();
  }

  /** Names change: what was open under them may be something else now. */
  #change(call: () => void): number {
    this.close();
    return attempt(() => {
      call();
      return 0;
    });
  }

  #openFile(path: string, access: number): number {
    const key = `${access}:${path}`;
    const known = this.#open.get(key);
    if (known !== undefined) {
      this.#open.delete(key);
      this.#open.set(key, known);
      return known;
    }
    const fd = fs.openSync(native(path), access | SAFE);
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
