/** Random file calls, the same for our tree and for the real kernel, and our tree's answers in the kernel's words. */
import { below, pick, type RandomState } from "../../src/base/index.ts";
import { AT, byteString, bytesOf, type GuestFiles, O, RENAME, S, type Stat } from "../../src/machine/files/index.ts";

export type Operation = readonly (string | number)[];

const NAMES = ["a", "b", "c", "d", "e", "low", "sub"];

function randomPath(random: RandomState, absolute: boolean): string {
  const roll = below(random, 100);
  if (roll === 0) return "";
  if (roll === 1) return "x".repeat(256);
  if (roll === 2) return `${"a/".repeat(2100)}b`;
  const parts: string[] = [];
  for (let i = pick(random, [1, 1, 1, 2, 2, 3]); i > 0; i--)
    parts.push(below(random, 20) === 0 ? pick(random, [".", ".."]) : pick(random, NAMES));
  const lead = absolute && below(random, 8) === 0 ? "/" : "";
  const trail = below(random, 12) === 0 ? pick(random, ["/", "//", "/."]) : "";
  const joined = parts.join(below(random, 20) === 0 ? "//" : "/");
  return below(random, 60) === 0 && absolute ? "/" : lead + joined + trail;
}

/** Percent-encoded as the oracle reads it. */
const encodePath = (path: string): string => (path === "" ? "%" : path.replace(/[% \n]/g, escapeByte));
const escapeByte = (c: string): string => `%${c.charCodeAt(0).toString(16).padStart(2, "0")}`;
const decodePath = (word: string): string =>
  word === "%" ? "" : word.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

export interface Shape {
  /** Absolute paths are allowed: the oracle has its own root. */
  readonly absolute: boolean;
  /** The real file system shows holes as ext4 does. */
  readonly holes: boolean;
}

export function randomOperation(random: RandomState, shape: Shape): Operation {
  const path = () => encodePath(randomPath(random, shape.absolute));
  const fd = () => (below(random, 30) === 0 ? pick(random, [-1, 77, 5000]) : 3 + below(random, 8));
  const dirfd = () => (below(random, 5) === 0 ? fd() : AT.FDCWD);
  const size = () => pick(random, [0, 1, 5, 100, 4095, 4096, 4097, 9000, 20000]) + below(random, 3);
  const data = () =>
    Array.from({ length: pick(random, [0, 1, 3, 10, 300, 5000]) }, () => hex(below(random, 256))).join("") || "-";
  const mode = () => pick(random, [0o644, 0o755, 0o777, 0o600, 0o700, 0o444, 0o200, 0o000, 0o2755, 0o4711, 0o1777]);
  const openFlags = () => {
    let flags: number = pick(random, [O.RDONLY, O.WRONLY, O.RDWR, O.RDWR, O.RDWR, 3]);
    for (const flag of [
      O.CREAT,
      O.CREAT,
      O.EXCL,
      O.TRUNC,
      O.APPEND,
      O.DIRECTORY,
      O.NOFOLLOW,
      O.CLOEXEC,
      O.NONBLOCK,
      O.PATH,
    ])
      if (below(random, flag === O.CREAT ? 2 : 9) === 0) flags |= flag;
    return below(random, 25) === 0 ? O.TMPFILE | pick(random, [0, 1, 2, 2, 2 | O.EXCL]) : flags;
  };
  const seeks = shape.holes ? [0, 1, 2, 3, 4] : [0, 1, 2];
  const falloc = shape.holes ? [0, 1, 3, 16, 17, 2, 19, 4] : [0, 1, 2, 19, 4];
  const makers: (() => Operation)[] = [
    () => ["open", dirfd(), path(), openFlags(), mode()],
    () => ["open", dirfd(), path(), openFlags(), mode()],
    () => ["open", AT.FDCWD, path(), O.RDWR | O.CREAT, 0o644],
    () => ["open", AT.FDCWD, path(), O.DIRECTORY, 0],
    () => ["close", fd()],
    () => ["dup", fd()],
    () => ["dup2", fd(), fd()],
    () => ["fcntl", fd(), pick(random, [0, 1, 2, 3, 1030]), pick(random, [0, 1, O.APPEND, O.NONBLOCK, 4])],
    // Pipes stay non-blocking: nobody would wake the oracle.
    () => ["fcntl", fd(), 4, O.NONBLOCK | pick(random, [0, O.APPEND, O.CREAT])],
    () => ["read", fd(), size()],
    () => ["pread", fd(), size(), pick(random, [-1, 0, 10, 4090, 10000])],
    () => ["write", fd(), data()],
    () => ["write", fd(), data()],
    () => ["pwrite", fd(), data(), pick(random, [-1, 0, 10, 4090, 10000, 50000])],
    () => ["lseek", fd(), pick(random, [-5, 0, 0, 3, 4096, 8192, 12288, 30000]), pick(random, [...seeks, 9])],
    () => ["ftruncate", fd(), pick(random, [-1, size(), size()])],
    () => ["truncate", path(), pick(random, [-1, size(), size()])],
    () => [
      "fallocate",
      fd(),
      pick(random, falloc),
      pick(random, [-1, 0, 100, 4096, 5000]),
      pick(random, [0, 10, 4096, 9000]),
    ],
    () => ["fsync", fd()],
    () => ["mkdir", dirfd(), path(), mode() | 0o700],
    () => ["mkdir", AT.FDCWD, path(), 0o755],
    () => ["mknod", dirfd(), path(), pick(random, [0, S.IFREG, S.IFDIR]) | mode()],
    () => ["unlink", dirfd(), path(), pick(random, [0, 0, AT.REMOVEDIR, 1])],
    () => ["unlink", AT.FDCWD, path(), 0],
    () => ["rename", dirfd(), path(), dirfd(), path(), pick(random, [0, 0, 0, RENAME.NOREPLACE, RENAME.EXCHANGE, 3])],
    () => ["rename", AT.FDCWD, path(), AT.FDCWD, path(), 0],
    () => ["link", dirfd(), path(), dirfd(), path(), pick(random, [0, 0, AT.SYMLINK_FOLLOW, 1])],
    () => ["symlink", path(), dirfd(), path()],
    () => ["readlink", dirfd(), path()],
    () => ["chmod", path(), mode()],
    () => ["fchmod", fd(), mode()],
    () => ["chown", path(), pick(random, [-1, 1000, 0]), pick(random, [-1, 1000, 0])],
    () => ["access", dirfd(), path(), pick(random, [0, 1, 2, 4, 6, 7, 8]), 0],
    () => ["stat", dirfd(), path(), pick(random, [0, AT.SYMLINK_NOFOLLOW, AT.EMPTY_PATH])],
    () => ["stat", AT.FDCWD, path(), 0],
    () => ["fstat", fd()],
    () => ["getdents", fd()],
    () => ["chdir", below(random, 2) === 0 ? (shape.absolute ? "/" : "..") : path()],
    () => ["fchdir", fd()],
    () => ["getcwd"],
    () => ["umask", pick(random, [0o22, 0o22, 0, 0o77, 0o27])],
    () => [
      "utimens",
      path(),
      pick(random, [0, 1000, 77]),
      pick(random, [0, 2000, 99]),
      pick(random, [0, AT.SYMLINK_NOFOLLOW]),
    ],
    () => ["pipe", pick(random, [O.NONBLOCK, O.NONBLOCK | O.CLOEXEC, 1])],
    () => ["eventfd", below(random, 3), pick(random, [O.NONBLOCK, O.NONBLOCK | 1])],
    () => ["poll", fd()],
  ];
  return pick(random, makers)();
}

const hex = (byte: number): string => byte.toString(16).padStart(2, "0");
const hexOf = (bytes: Uint8Array): string => [...bytes].map(hex).join("");
const unhex = (word: string): Uint8Array =>
  word === "-" ? new Uint8Array() : Uint8Array.from(word.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

type Answer = (files: GuestFiles, operation: readonly (string | number)[]) => string | number;
const n = (word: string | number | undefined): number => Number(word);
const p = (word: string | number | undefined): string => decodePath(String(word));

function statAnswer(stat: Stat | number): string | number {
  if (typeof stat === "number") return stat;
  const isDirectory = (stat.mode & S.IFMT) === S.IFDIR;
  const seconds = Number(stat.modified / 1_000_000_000n);
  const mtime = seconds < 1_000_000 ? seconds : -1;
  const size = isDirectory ? 0 : stat.size;
  return `0 mode=${stat.mode.toString(8)} nlink=${stat.nlink} size=${size} uid=${stat.uid} gid=${stat.gid} mtime=${mtime}`;
}

function readAnswer(files: GuestFiles, fd: number, size: number, offset?: number): string | number {
  const into = new Uint8Array(size);
  const count = files.read(fd, into, offset);
  return typeof count === "number" && count >= 0 ? `${count} ${hexOf(into.subarray(0, count))}` : String(count);
}

/** Our own mounts do not exist in the oracle's root. */
const OURS = ["dev:4", "proc:4", "sys:4"];

function namesAnswer(files: GuestFiles, fd: number): string | number {
  const names: string[] = [];
  for (;;) {
    const records = files.getdents(fd, 300);
    if (typeof records === "number") return records;
    if (records.length === 0) break;
    const view = new DataView(records.buffer, records.byteOffset, records.length);
    for (let at = 0; at < records.length; at += view.getUint16(at + 16, true)) {
      const name = byteString(records.subarray(at + 19, records.indexOf(0, at + 19)));
      names.push(`${name}:${view.getUint8(at + 18)}`);
    }
  }
  const shown = names.filter((name) => !OURS.includes(name)).sort((a, b) => (a < b ? -1 : 1));
  return [shown.length, ...shown].join(" ");
}

const time = (word: string | number | undefined) =>
  n(word) === 0 ? ("omit" as const) : BigInt(n(word)) * 1_000_000_000n;
const textAnswer = (result: string | number) =>
  typeof result === "number" ? result : `${result.length} ${hexOf(bytesOf(result))}`;

const answers: Readonly<Record<string, Answer>> = {
  open: (files, [, d, path, flags, mode]) => files.open(n(d), p(path), n(flags), n(mode)),
  close: (files, [, fd]) => files.close(n(fd)),
  dup: (files, [, fd]) => files.dup(n(fd)),
  dup2: (files, [, a, b]) => files.dup2(n(a), n(b), false),
  fcntl: (files, [, fd, command, argument]) => files.fcntl(n(fd), n(command), n(argument)),
  read: (files, [, fd, size]) => readAnswer(files, n(fd), n(size)),
  pread: (files, [, fd, size, offset]) => readAnswer(files, n(fd), n(size), n(offset)),
  write: (files, [, fd, data]) => files.write(n(fd), unhex(String(data))),
  pwrite: (files, [, fd, data, offset]) => files.write(n(fd), unhex(String(data)), n(offset)),
  lseek: (files, [, fd, offset, whence]) => files.lseek(n(fd), n(offset), n(whence)),
  ftruncate: (files, [, fd, size]) => files.ftruncate(n(fd), n(size)),
  truncate: (files, [, path, size]) => files.truncate(p(path), n(size)),
  fallocate: (files, [, fd, mode, offset, length]) => files.fallocate(n(fd), n(mode), n(offset), n(length)),
  fsync: (files, [, fd]) => files.fsync(n(fd)),
  mkdir: (files, [, d, path, mode]) => files.mkdir(n(d), p(path), n(mode)),
  mknod: (files, [, d, path, mode]) => files.mknod(n(d), p(path), n(mode)),
  unlink: (files, [, d, path, flags]) => files.unlink(n(d), p(path), n(flags)),
  rename: (files, [, d, path, e, to, flags]) => files.rename(n(d), p(path), n(e), p(to), n(flags)),
  link: (files, [, d, path, e, to, flags]) => files.link(n(d), p(path), n(e), p(to), n(flags)),
  symlink: (files, [, target, d, path]) => files.symlink(p(target), n(d), p(path)),
  readlink: (files, [, d, path]) => textAnswer(files.readlink(n(d), p(path))),
  chmod: (files, [, path, mode]) => files.chmod(AT.FDCWD, p(path), n(mode), 0),
  fchmod: (files, [, fd, mode]) => files.fchmod(n(fd), n(mode)),
  chown: (files, [, path, uid, gid]) => files.chown(AT.FDCWD, p(path), n(uid), n(gid), 0),
  access: (files, [, d, path, mask, flags]) => files.access(n(d), p(path), n(mask), n(flags)),
  stat: (files, [, d, path, flags]) => statAnswer(files.stat(n(d), p(path), n(flags))),
  fstat: (files, [, fd]) => statAnswer(files.fstat(n(fd))),
  getdents: (files, [, fd]) => namesAnswer(files, n(fd)),
  chdir: (files, [, path]) => files.chdir(p(path)),
  fchdir: (files, [, fd]) => files.fchdir(n(fd)),
  getcwd: (files) => textAnswer(files.getcwd()),
  umask: (files, [, mask]) => files.umask(n(mask)),
  utimens: (files, [, path, a, m, flags]) => files.utimens(AT.FDCWD, p(path), time(a), time(m), n(flags)),
  pipe: (files, [, flags]) => {
    const ends = files.pipe(n(flags));
    return typeof ends === "number" ? ends : ends.read * 1000 + ends.write;
  },
  eventfd: (files, [, initial, flags]) => files.eventfd(n(initial), n(flags)),
  poll: (files, [, fd]) => (n(fd) < 0 ? 0 : files.readiness(n(fd)) & (1 | 4 | 8 | 16 | 32)),
};

/** Positions in a directory are ext4's own affair, but for its beginning; and after them reading fails in its own way. */
export function isPrivateToExt4(files: GuestFiles, operation: Operation): boolean {
  if (operation[0] !== "lseek" && operation[0] !== "read") return false;
  if (operation[0] === "lseek" && n(operation[2]) === 0 && n(operation[3]) === 0) return false;
  const stat = files.fstat(n(operation[1]));
  return typeof stat !== "number" && (stat.mode & S.IFMT) === S.IFDIR;
}

export function perform(files: GuestFiles, operation: Operation): string {
  return String(answers[String(operation[0])]?.(files, operation)).trimEnd();
}
