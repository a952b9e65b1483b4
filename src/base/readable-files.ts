/**
 * A host tree of which only some directories show: `--read`. Always: what lies elsewhere is not there, neither by its name
 * nor in a listing; of directories on the way to what shows, only that way shows. Changing is not restricted here, as it
 * happens below granted directories alone, and these show.
 */
import { ForwardedFiles } from "./forwarded-files.ts";
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

export class ReadableFiles extends ForwardedFiles {
  readonly #shown: readonly string[];
  readonly #reached: readonly string[];
  /** What stands for files that showed when they lost their names. */
  readonly #kept = new Set<string>();

  /** Host paths of what shows, with all below it; and of what may be gone to, though nothing in it shows. */
  constructor(host: HostFiles, shown: readonly string[], reached: readonly string[] = []) {
    super(host);
    this.#shown = shown;
    this.#reached = [...shown, ...reached];
  }

  #shows(path: string): boolean {
    return this.#shown.some((folder) => isBelow(path, folder));
  }

  #leadsTo(path: string): boolean {
    return this.#reached.some((folder) => isBelow(folder, path));
  }

  override lstat(path: string): HostStat | number {
    if (this.#shows(path)) return super.lstat(path);
    const stat = this.#leadsTo(path) ? super.lstat(path) : -ENOENT;
    return typeof stat === "object" && stat.kind === "file" ? -ENOENT : stat;
  }

  override readlink(path: string): string | number {
    return this.#shows(path) || this.#leadsTo(path) ? super.readlink(path) : -ENOENT;
  }

  override readdir(path: string): readonly HostEntry[] | number {
    if (this.#shows(path)) return super.readdir(path);
    const entries = this.#leadsTo(path) ? super.readdir(path) : -ENOENT;
    if (typeof entries === "number") return entries;
    const prefix = path.endsWith("/") ? path : `${path}/`;
    return entries.filter(({ name }) => this.#leadsTo(prefix + name));
  }

  override read(path: string, offset: number, into: Uint8Array): number {
    return this.#shows(path) || this.#kept.has(path) ? super.read(path, offset, into) : -ENOENT;
  }

  override keep(path: string): string | number {
    const name = this.#shows(path) ? super.keep(path) : -ENOENT;
    if (typeof name === "string") this.#kept.add(name);
    return name;
  }

  override permits(path: string, mask: number): boolean {
    return (this.#shows(path) || this.#leadsTo(path)) && super.permits(path, mask);
  }
}
