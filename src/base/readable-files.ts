/**
 * A host tree of which only some directories show: `--read`. Always: what lies elsewhere is not there, neither by its name
 * nor in a listing; of directories on the way to what shows, only that way shows. Changing is not restricted here, as it
 * happens below granted directories alone, and these show.
 */
import type { HostEntry, HostFiles, HostStat } from "./host-files.ts";
import { isBelow } from "./paths.ts";

const ENOENT = 2;

/** Where the system keeps what programs are linked with. */
export const libraryFolders: readonly string[] = [
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/usr/libx32",
  "/usr/local/lib",
  "/etc/ld.so.cache",
];

export class ReadableFiles implements HostFiles {
  readonly #host: HostFiles;
  readonly #shown: readonly string[];
  readonly #reached: readonly string[];
  /** What stands for files that showed when they lost their names. */
  readonly #kept = new Set<string>();
  readonly uid: number;
  readonly gid: number;

  /** Host paths of what shows, with all below it; and of what may be gone to, though nothing in it shows. */
  constructor(host: HostFiles, shown: readonly string[], reached: readonly string[] = []) {
    this.#host = host;
    this.#shown = shown;
    this.#reached = [...shown, ...reached];
    this.uid = host.uid;
    this.gid = host.gid;
  }

  #shows(path: string): boolean {
    return this.#shown.some((folder) => isBelow(path, folder));
  }

  #leadsTo(path: string): boolean {
    return this.#reached.some((folder) => isBelow(folder, path));
  }

  hold(path: string): number {
    return this.#host.hold(path);
  }

  lstat(path: string): HostStat | number {
    if (this.#shows(path)) return this.#host.lstat(path);
    const stat = this.#leadsTo(path) ? this.#host.lstat(path) : -ENOENT;
    return typeof stat === "object" && stat.kind === "file" ? -ENOENT : stat;
  }

  readlink(path: string): string | number {
    return this.#shows(path) || this.#leadsTo(path) ? this.#host.readlink(path) : -ENOENT;
  }

  readdir(path: string): readonly HostEntry[] | number {
    if (this.#shows(path)) return this.#host.readdir(path);
    const entries = this.#leadsTo(path) ? this.#host.readdir(path) : -ENOENT;
    if (typeof entries === "number") return entries;
    const prefix = path.endsWith("/") ? path : `${path}/`;
    return entries.filter(({ name }) => this.#leadsTo(prefix + name));
  }

  read(path: string, offset: number, into: Uint8Array): number {
    return this.#shows(path) || this.#kept.has(path) ? this.#host.read(path, offset, into) : -ENOENT;
  }

  keep(path: string): string | number {
    const name = this.#shows(path) ? this.#host.keep(path) : -ENOENT;
    if (typeof name === "string") this.#kept.add(name);
    return name;
  }

  permits(path: string, mask: number): boolean {
    return (this.#shows(path) || this.#leadsTo(path)) && this.#host.permits(path, mask);
  }

  write(path: string, offset: number, bytes: Uint8Array): number {
    return this.#host.write(path, offset, bytes);
  }

  truncate(path: string, size: number): number {
    return this.#host.truncate(path, size);
  }

  create(path: string, mode: number): number {
    return this.#host.create(path, mode);
  }

  mkdir(path: string, mode: number): number {
    return this.#host.mkdir(path, mode);
  }

  symlink(target: string, path: string): number {
    return this.#host.symlink(target, path);
  }

  link(existing: string, path: string): number {
    return this.#host.link(existing, path);
  }

  unlink(path: string): number {
    return this.#host.unlink(path);
  }

  rmdir(path: string): number {
    return this.#host.rmdir(path);
  }

  rename(from: string, to: string): number {
    return this.#host.rename(from, to);
  }

  chmod(path: string, mode: number): number {
    return this.#host.chmod(path, mode);
  }

  setTimes(path: string, accessed: bigint, modified: bigint): number {
    return this.#host.setTimes(path, accessed, modified);
  }
}
