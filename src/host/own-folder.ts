/**
 * Folders that are written to, held by descriptor (docs/adr/0022-held-directories.md). Always:
 * - The folder that the user named is no symbolic link, and below it none is followed, whoever changes names there meanwhile.
 * - What is made is for this user alone. What is there already and belongs to another is refused, unless we are root.
 * - A file that is there is replaced, never written into: it may have other names elsewhere.
 */
import * as fs from "node:fs";
import { resolve } from "node:path";
import { InputError, printable } from "../base/index.ts";
import { errorCode } from "./errors.ts";
import { behind, O_PATH } from "./held.ts";
import { makeFolders } from "./make-folders.ts";

const { O_DIRECTORY, O_NOFOLLOW } = fs.constants;
const forUserAlone = 0o700;

/** What is in the way of our own. */
export const inTheWay = (path: string, what: string): InputError =>
  new InputError("host/in-the-way", `${printable(path)} ${what}: name another place.`, { path, what });

/** For a sentence that says itself what to do. */
export const reasonOf = (error: unknown): string =>
  error instanceof InputError && error.code === "host/in-the-way"
    ? `${error.facts["path"]} ${error.facts["what"]}`
    : errorCode(error);

const isLink = (path: string): boolean => fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

function isOthers(uid: number): boolean {
  const own = process.geteuid?.();
  return own !== 0 && uid !== own;
}

export class OwnFolder {
  /** As the user named it, for sentences. */
  readonly #told: string;
  readonly #fd: number;

  private constructor(told: string, fd: number) {
    this.#told = told;
    this.#fd = fd;
  }

  /** With all that lead to it, where they are missing. */
  static make(path: string): OwnFolder {
    // "link/" would lead behind the link.
    const named = resolve(path);
    if (!isLink(named)) makeFolders(named, forUserAlone);
    return OwnFolder.#hold(path, named);
  }

  /** One that is there; fails with ENOENT where there is none. */
  static open = (path: string): OwnFolder => OwnFolder.#hold(path, resolve(path));

  static #hold(told: string, path: string): OwnFolder {
    let fd: number;
    try {
      fd = fs.openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    } catch (error) {
      if (errorCode(error) === "ENOTDIR" && isLink(path)) throw inTheWay(told, "is a symbolic link");
      throw error;
    }
    if (!isOthers(fs.fstatSync(fd).uid)) return new OwnFolder(told, fd);
    fs.closeSync(fd);
    throw inTheWay(told, "belongs to another user");
  }

  /** The folder of this name in it. */
  folder(name: string): OwnFolder {
    const path = this.entry(name);
    try {
      fs.mkdirSync(path, forUserAlone);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
    return OwnFolder.#hold(`${this.#told}/${name}`, path);
  }

  /** A path that leads to the entry of this name, and follows nothing but what stands there. */
  entry(name: string): string {
    return `${behind(this.#fd)}/${name}`;
  }

  /** Creates a file in place of one that is there, and opens it. */
  create(name: string, flags: number, mode = 0o666): number {
    this.remove(name);
    return fs.openSync(this.entry(name), flags | fs.constants.O_CREAT | fs.constants.O_EXCL | O_NOFOLLOW, mode);
  }

  /** Does nothing where there is none; refuses what is no file of this user's. */
  remove(name: string): void {
    const found = fs.lstatSync(this.entry(name), { throwIfNoEntry: false });
    if (found === undefined) return;
    if (!found.isFile()) throw inTheWay(`${this.#told}/${name}`, "is no regular file");
    if (isOthers(found.uid)) throw inTheWay(`${this.#told}/${name}`, "belongs to another user");
    fs.rmSync(this.entry(name), { force: true });
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}
