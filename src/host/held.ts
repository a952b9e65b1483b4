/**
 * Directories held by descriptor, and names below them reached one component at a time: what openat2's RESOLVE_BENEATH
 * would do, with the calls that Node has (docs/adr/0022-held-directories.md). Always:
 * - No symbolic link is followed on the way, whoever changes names there at the same moment: each directory is opened
 *   with O_NOFOLLOW from the one before, which /proc/self/fd/N stands for.
 * - A directory kept open from an earlier call is used only where it still lies: /proc says where that is.
 */
import * as fs from "node:fs";
import { isBelow } from "../base/index.ts";
import { attempt } from "./errors.ts";

const { O_DIRECTORY, O_NOFOLLOW } = fs.constants;
/** Of Linux; Node does not name it. A descriptor to start from, not to read. */
export const O_PATH = 0o10000000;
const OPEN_DIRECTORIES_MAX = 64;
const ELOOP = 40;

/** Byte strings to what node:fs takes; plain ASCII stays a string, which is faster. */
export const native = (path: string): string | Buffer =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant
  /^[\x00-\x7f]*$/.test(path) ? path : Buffer.from(path, "latin1");

export const behind = (fd: number): string => `/proc/self/fd/${fd}`;

export class HeldDirectories {
  /** By path, longest first. */
  readonly #held: { readonly path: string; readonly fd: number }[] = [];
  /** Directories below them by path, least recently used first. */
  readonly #open = new Map<string, number>();

  /** Holds the directory that is at this path now; 0 or a negative error number. */
  hold(path: string): number {
    if (this.#held.some((held) => held.path === path)) return 0;
    const fd = attempt(() => fs.openSync(native(path), O_PATH | O_DIRECTORY | O_NOFOLLOW));
    if (fd < 0) return fd;
    if (this.#whereIs(fd) !== path) {
      fs.closeSync(fd);
      return -ELOOP;
    }
    this.#held.push({ path, fd });
    this.#held.sort((a, b) => b.path.length - a.path.length);
    return 0;
  }

  close(): void {
    for (const fd of [...this.#held.map((held) => held.fd), ...this.#open.values()]) fs.closeSync(fd);
    this.#held.length = 0;
    this.#open.clear();
  }

  covers(path: string): boolean {
    return this.#held.some((held) => isBelow(path, held.path));
  }

  /** A path that leads to what has this name now; its last component is the caller's to open with O_NOFOLLOW. */
  nameOf(path: string): string | number {
    const top = this.#held.find((held) => isBelow(path, held.path));
    if (top === undefined) return path;
    if (top.path === path) return `${behind(top.fd)}/.`;
    const { parent, name } = split(path);
    const fd = this.#directory(parent);
    return fd < 0 ? fd : `${behind(fd)}/${name}`;
  }

  /** A path that leads into the directory of this name. */
  directoryOf(path: string): string | number {
    if (!this.covers(path)) return path;
    const fd = this.#directory(path);
    return fd < 0 ? fd : behind(fd);
  }

  /** The open directory at this path, kept for the next call; those on the way are let go, so one call opens at most one more. */
  #directory(path: string): number {
    const top = this.#held.find((held) => isBelow(path, held.path))!;
    if (top.path === path) return top.fd;
    const known = this.#open.get(path);
    if (known !== undefined) {
      this.#open.delete(path);
      if (this.#whereIs(known) === path) {
        this.#open.set(path, known);
        return known;
      }
      fs.closeSync(known);
    }
    const fd = descend(top.fd, path.slice(top.path.length));
    if (fd < 0) return fd;
    this.#open.set(path, fd);
    if (this.#open.size > OPEN_DIRECTORIES_MAX) this.#closeOldest();
    return fd;
  }

  /** Where an open directory lies now; a number if it has no path that could be told. */
  #whereIs(fd: number): string | number {
    return attempt(() => fs.readlinkSync(behind(fd), "latin1"));
  }

  #closeOldest(): void {
    for (const [path, fd] of this.#open) {
      fs.closeSync(fd);
      this.#open.delete(path);
      return;
    }
  }
}

/** Opens the directory at a relative path, component by component. */
function descend(top: number, path: string): number {
  let at = top;
  for (const name of path.split("/")) {
    if (name === "") continue;
    const next = attempt(() => fs.openSync(native(`${behind(at)}/${name}`), O_PATH | O_DIRECTORY | O_NOFOLLOW));
    if (at !== top) fs.closeSync(at);
    if (next < 0) return next;
    at = next;
  }
  return at;
}

function split(path: string): { readonly parent: string; readonly name: string } {
  const slash = path.lastIndexOf("/");
  return { parent: slash === 0 ? "/" : path.slice(0, slash), name: path.slice(slash + 1) };
}
