/** System calls about files' attributes: stat(2), chmod(2), utimensat(2), statfs(2) and kin. */
import { AT, encodeStat, encodeStatFs, encodeStatx, errno, type TimeChange } from "../files/index.ts";
import type { Call, Handler, Result } from "./call.ts";

const NANOSECONDS = 1_000_000_000n;

const STATX_RESERVED = 0x8000_0000;

const put = <T>(call: Call, found: T | number, address: number, bytes: (value: T) => Uint8Array): Result =>
  typeof found === "number" ? found : call.put(address, bytes(found));

const STAT_FLAGS = AT.SYMLINK_NOFOLLOW | AT.NO_AUTOMOUNT | AT.EMPTY_PATH;
const STATX_SYNC = 0x6000;

function statx(call: Call): Result {
  const flags = call.unsigned(2);
  if (flags & ~(STAT_FLAGS | STATX_SYNC) || call.unsigned(3) & STATX_RESERVED) return -errno.EINVAL;
  return call.withPath(1, (path) =>
    put(call, call.files.stat(call.int(0), path, flags & STAT_FLAGS), call.size(4), encodeStatx),
  );
}

function newfstatat(call: Call): Result {
  const flags = call.unsigned(3);
  if (flags & ~STAT_FLAGS) return -errno.EINVAL;
  return call.withPath(1, (path) => put(call, call.files.stat(call.int(0), path, flags), call.size(2), encodeStat));
}

const access = (call: Call, dirfd: number, first: number, atFlags: number): Result => {
  const mask = call.unsigned(first + 1);
  if (mask & ~7) return -errno.EINVAL;
  return call.withPath(first, (path) => call.files.access(dirfd, path, mask, atFlags));
};

const UTIME = { NOW: 0x3fff_ffffn, OMIT: 0x3fff_fffen } as const;

/** Two times of 16 bytes each whose second words count `unit`s per second, or undefined for now. */
function times(call: Call, address: number, unit: bigint): readonly [TimeChange, TimeChange] | number {
  if (address === 0) return ["now", "now"];
  const view = call.view(address, 32);
  if (view === undefined) return -errno.EFAULT;
  const parse = (offset: number): TimeChange | undefined => {
    const [seconds, part] = [view.getBigInt64(offset, true), view.getBigInt64(offset + 8, true)];
    if (unit === NANOSECONDS && part === UTIME.NOW) return "now";
    if (unit === NANOSECONDS && part === UTIME.OMIT) return "omit";
    return part < 0n || part >= unit ? undefined : seconds * NANOSECONDS + part * (NANOSECONDS / unit);
  };
  const [accessed, modified] = [parse(0), parse(16)];
  return accessed === undefined || modified === undefined ? -errno.EINVAL : [accessed, modified];
}

function setTimes(call: Call, dirfd: number, path: number, at: number, unit: bigint, flags: number): Result {
  const change = times(call, call.size(at), unit);
  if (typeof change === "number") return change;
  if (call.size(path) === 0) return call.files.utimens(dirfd, undefined, change[0], change[1], flags);
  return call.withPath(path, (name) => call.files.utimens(dirfd, name, change[0], change[1], flags));
}

function utime(call: Call): Result {
  const address = call.size(1);
  const view = address === 0 ? undefined : call.view(address, 16);
  if (address !== 0 && view === undefined) return -errno.EFAULT;
  const at = (offset: number): TimeChange => (view ? view.getBigInt64(offset, true) * NANOSECONDS : "now");
  return call.withPath(0, (path) => call.files.utimens(AT.FDCWD, path, at(0), at(8), 0));
}

/** The overlay keeps no extended attributes, like a file system mounted without them. */
const noAttributes: Handler = () => -errno.EOPNOTSUPP;

// biome-ignore format: a row per call
export const attributeCalls = {
  stat:       (call) => call.withPath(0, (path) => put(call, call.files.stat(AT.FDCWD, path, 0), call.size(1), encodeStat)),
  lstat:      (call) => call.withPath(0,
    (path) => put(call, call.files.stat(AT.FDCWD, path, AT.SYMLINK_NOFOLLOW), call.size(1), encodeStat)),
  fstat:      (call) => put(call, call.files.fstat(call.int(0)), call.size(1), encodeStat),
  newfstatat,
  statx,
  statfs:     (call) => call.withPath(0, (path) => put(call, call.files.statfs(path), call.size(1), encodeStatFs)),
  fstatfs:    (call) => put(call, call.files.fstatfs(call.int(0)), call.size(1), encodeStatFs),
  access:     (call) => access(call, AT.FDCWD, 0, 0),
  faccessat:  (call) => access(call, call.int(0), 1, 0),
  faccessat2: (call) => access(call, call.int(0), 1, call.unsigned(3)),
  chmod:      (call) => call.withPath(0, (path) => call.files.chmod(AT.FDCWD, path, call.unsigned(1), 0)),
  fchmod:     (call) => call.files.fchmod(call.int(0), call.unsigned(1)),
  fchmodat:   (call) => call.withPath(1, (path) => call.files.chmod(call.int(0), path, call.unsigned(2), 0)),
  chown:      (call) => call.withPath(0, (path) => call.files.chown(AT.FDCWD, path, call.int(1), call.int(2), 0)),
  lchown:     (call) => call.withPath(0,
    (path) => call.files.chown(AT.FDCWD, path, call.int(1), call.int(2), AT.SYMLINK_NOFOLLOW)),
  fchown:     (call) => call.files.fchown(call.int(0), call.int(1), call.int(2)),
  fchownat:   (call) => call.withPath(1, (path) => call.files.chown(call.int(0), path, call.int(2), call.int(3), call.int(4))),
  utime,
  utimes:     (call) => setTimes(call, AT.FDCWD, 0, 1, 1_000_000n, 0),
  futimesat:  (call) => setTimes(call, call.int(0), 1, 2, 1_000_000n, 0),
  utimensat:  (call) => setTimes(call, call.int(0), 1, 2, NANOSECONDS, call.unsigned(3)),
  getxattr: noAttributes,  lgetxattr: noAttributes,  fgetxattr: noAttributes,
  setxattr: noAttributes,  lsetxattr: noAttributes,  fsetxattr: noAttributes,
  listxattr: noAttributes, llistxattr: noAttributes, flistxattr: noAttributes,
  removexattr: noAttributes, lremovexattr: noAttributes, fremovexattr: noAttributes,
} as const satisfies Record<string, Handler>;
