/** System calls about names and descriptors: open(2), rename(2), fcntl(2) and kin. What they mean is src/machine/files' business. */
import { AT, bytesOf, EFD_SEMAPHORE, errno, F, O, RENAME } from "../files/index.ts";
import { type Call, type Handler, type Result, struct } from "./call.ts";

const CREATE = O.CREAT | O.WRONLY | O.TRUNC;

function openat2(call: Call): Result {
  const size = call.size(3);
  const how = size < 24 ? undefined : call.view(call.size(2), 24);
  if (size < 24) return -errno.EINVAL;
  if (how === undefined) return -errno.EFAULT;
  if (how.getBigUint64(16, true) !== 0n) return -errno.EINVAL;
  const [flags, mode] = [Number(how.getBigUint64(0, true)), Number(how.getBigUint64(8, true))];
  return call.withPath(1, (path) => call.files.open(call.int(0), path, flags, mode));
}

function readlinkAt(call: Call, dirfd: number, first: number): Result {
  const capacity = call.int(first + 2);
  if (capacity <= 0) return -errno.EINVAL;
  return call.withPath(first, (path) => {
    const target = call.files.readlink(dirfd, path);
    if (typeof target === "number") return target;
    const bytes = bytesOf(target).subarray(0, capacity);
    return call.put(call.size(first + 1), bytes) || bytes.length;
  });
}

function getcwd(call: Call): Result {
  const path = call.files.getcwd();
  if (typeof path === "number") return path;
  const bytes = bytesOf(`${path}\0`);
  if (bytes.length > call.size(1)) return -errno.ERANGE;
  return call.put(call.size(0), bytes) || bytes.length;
}

function getdents64(call: Call): Result {
  const records = call.files.getdents(call.int(0), call.unsigned(2));
  if (typeof records === "number") return records;
  return call.put(call.size(1), records) || records.length;
}

const LOCK_BYTES = 32;
const F_UNLCK = 2;
const takesLock: ReadonlySet<number> = new Set([F.GETLK, F.SETLK, F.SETLKW, F.OFD_GETLK, F.OFD_SETLK, F.OFD_SETLKW]);

function fcntl(call: Call): Result {
  const [fd, command] = [call.int(0), call.int(1)];
  if (!takesLock.has(command)) return call.files.fcntl(fd, command, call.size(2));
  const checked = call.files.fcntl(fd, command, 0);
  if (checked < 0) return checked;
  const lock = call.view(call.size(2), LOCK_BYTES);
  if (lock === undefined) return -errno.EFAULT;
  if (lock.getInt16(0, true) > F_UNLCK || lock.getInt16(0, true) < 0) return -errno.EINVAL;
  if (command !== F.GETLK && command !== F.OFD_GETLK) return 0;
  lock.setInt16(0, F_UNLCK, true);
  return call.put(call.size(2), new Uint8Array(lock.buffer));
}

function pipe(call: Call, flags: number): Result {
  const pair = call.files.pipe(flags);
  if (typeof pair === "number") return pair;
  const bytes = struct(8, (view) => {
    view.setInt32(0, pair.read, true);
    view.setInt32(4, pair.write, true);
  });
  if (call.memory.write(call.size(0), bytes)) return 0;
  call.files.close(pair.read);
  call.files.close(pair.write);
  return -errno.EFAULT;
}

const TTY = { TCGETS: 0x5401, TIOCGWINSZ: 0x5413, TIOCGPGRP: 0x540f, FIONREAD: 0x541b, FIONBIO: 0x5421 } as const;
const FIO = { CLEX: 0x5451, NCLEX: 0x5450 } as const;

/** A sane terminal: cooked mode, 38400 baud, the usual control characters (termios(3)). */
const termios = struct(36, (view) => {
  [0x500, 5, 0xbf, 0x8a3b].forEach((word, index) => {
    view.setUint32(4 * index, word, true);
  });
  [3, 28, 127, 21, 4, 0, 1, 0, 17, 19, 26, 0, 18, 15, 23, 22].forEach((character, index) => {
    view.setUint8(17 + index, character);
  });
});
const windowSize = struct(8, (view) => {
  view.setUint16(0, 24, true);
  view.setUint16(2, 80, true);
});

function ioctl(call: Call): Result {
  const [fd, request, argument] = [call.int(0), call.unsigned(1), call.size(2)];
  const u32 = (value: number) => struct(4, (view) => view.setInt32(0, value, true));
  const onTerminal = (bytes: Uint8Array) => {
    const terminal = call.files.isTerminal(fd);
    return terminal < 0 ? terminal : terminal === 0 ? -errno.ENOTTY : call.put(argument, bytes);
  };
  switch (request) {
    case TTY.TCGETS:
      return onTerminal(termios);
    case TTY.TIOCGWINSZ:
      return onTerminal(windowSize);
    case TTY.TIOCGPGRP:
      return onTerminal(u32(call.process.state.threads[0]!.tid));
    case TTY.FIONREAD: {
      const available = call.files.available(fd);
      return available < 0 ? available : call.put(argument, u32(available));
    }
    case TTY.FIONBIO: {
      const on = call.memory.readU32(argument);
      const flags = call.files.fcntl(fd, F.GETFL, 0);
      if (on === undefined || flags < 0) return flags < 0 ? flags : -errno.EFAULT;
      return call.files.fcntl(fd, F.SETFL, on === 0 ? flags & ~O.NONBLOCK : flags | O.NONBLOCK);
    }
    case FIO.CLEX:
    case FIO.NCLEX:
      return call.files.fcntl(fd, F.SETFD, request === FIO.CLEX ? 1 : 0);
    default: {
      const open = call.files.fcntl(fd, F.GETFD, 0);
      return open < 0 ? open : -errno.ENOTTY;
    }
  }
}

function dup3(call: Call): Result {
  const [from, to, flags] = [call.int(0), call.int(1), call.int(2)];
  if (from === to || flags & ~O.CLOEXEC) return -errno.EINVAL;
  return call.files.dup2(from, to, (flags & O.CLOEXEC) !== 0);
}

const MFD_KNOWN = 7;
const LINKAT_KNOWN = AT.SYMLINK_FOLLOW | AT.EMPTY_PATH;

function fsync(call: Call): Result {
  const result = call.files.fsync(call.int(0));
  const file = result < 0 ? result : call.files.mappable(call.int(0));
  if (typeof file !== "number" && file.kind !== "zero") call.process.space.syncFile(file.inode);
  return result;
}

function syncAll(call: Call): Result {
  call.process.space.syncFile();
  return 0;
}

// biome-ignore format: a row per call
export const fileCalls = {
  open:       (call) => call.withPath(0, (path) => call.files.open(AT.FDCWD, path, call.unsigned(1), call.unsigned(2))),
  openat:     (call) => call.withPath(1, (path) => call.files.open(call.int(0), path, call.unsigned(2), call.unsigned(3))),
  openat2,
  creat:      (call) => call.withPath(0, (path) => call.files.open(AT.FDCWD, path, CREATE, call.unsigned(1))),
  close:      (call) => call.files.close(call.int(0)),
  close_range: (call) => call.unsigned(0) > call.unsigned(1) || call.unsigned(2) & ~6 ? -errno.EINVAL
    : call.files.closeRange(call.unsigned(0), call.unsigned(1), (call.unsigned(2) & 4) !== 0),
  lseek:      (call) => call.files.lseek(call.int(0), call.signed(1), call.unsigned(2)),
  dup:        (call) => call.files.dup(call.int(0)),
  dup2:       (call) => call.files.dup2(call.int(0), call.int(1), false),
  dup3,
  fcntl,
  ioctl,
  pipe:       (call) => pipe(call, 0),
  pipe2:      (call) => pipe(call, call.int(1)),
  eventfd:    (call) => call.files.eventfd(call.unsigned(0), 0),
  eventfd2:   (call) => call.files.eventfd(call.unsigned(0), call.int(1) & (EFD_SEMAPHORE | O.CLOEXEC | O.NONBLOCK)),
  memfd_create: (call) => {
    const name = call.text(call.size(0), 250);
    if (typeof name === "number") return name === -errno.ENAMETOOLONG ? -errno.EINVAL : name;
    return call.unsigned(1) & ~MFD_KNOWN ? -errno.EINVAL : call.files.memfd(name, call.unsigned(1));
  },
  flock:      (call) => call.files.flock(call.int(0), call.int(1)),
  fsync,
  fdatasync:  fsync,
  sync:       syncAll,
  syncfs:     (call) => call.files.fsync(call.int(0)) || syncAll(call),
  sync_file_range: (call) => call.files.fsync(call.int(0)),
  fadvise64:  (call) => Math.min(0, call.files.fcntl(call.int(0), F.GETFD, 0)),
  readahead:  (call) => Math.min(0, call.files.fcntl(call.int(0), F.GETFD, 0)),
  ftruncate:  (call) => call.files.ftruncate(call.int(0), call.signed(1)),
  truncate:   (call) => call.withPath(0, (path) => call.files.truncate(path, call.signed(1))),
  fallocate:  (call) => call.files.fallocate(call.int(0), call.int(1), call.signed(2), call.signed(3)),
  getdents64,
  getcwd,
  chdir:      (call) => call.withPath(0, (path) => call.files.chdir(path)),
  fchdir:     (call) => call.files.fchdir(call.int(0)),
  umask:      (call) => call.files.umask(call.unsigned(0) & 0o777),
  mkdir:      (call) => call.withPath(0, (path) => call.files.mkdir(AT.FDCWD, path, call.unsigned(1))),
  mkdirat:    (call) => call.withPath(1, (path) => call.files.mkdir(call.int(0), path, call.unsigned(2))),
  mknod:      (call) => call.withPath(0, (path) => call.files.mknod(AT.FDCWD, path, call.unsigned(1))),
  mknodat:    (call) => call.withPath(1, (path) => call.files.mknod(call.int(0), path, call.unsigned(2))),
  rmdir:      (call) => call.withPath(0, (path) => call.files.unlink(AT.FDCWD, path, AT.REMOVEDIR)),
  unlink:     (call) => call.withPath(0, (path) => call.files.unlink(AT.FDCWD, path, 0)),
  unlinkat:   (call) => call.int(2) & ~AT.REMOVEDIR ? -errno.EINVAL
    : call.withPath(1, (path) => call.files.unlink(call.int(0), path, call.int(2))),
  rename:     (call) => call.withPaths(0, 1, (from, to) => call.files.rename(AT.FDCWD, from, AT.FDCWD, to, 0)),
  renameat:   (call) => call.withPaths(1, 3, (from, to) => call.files.rename(call.int(0), from, call.int(2), to, 0)),
  renameat2:  (call) => call.unsigned(4) & ~(RENAME.NOREPLACE | RENAME.EXCHANGE | RENAME.WHITEOUT) ? -errno.EINVAL
    : call.withPaths(1, 3, (from, to) => call.files.rename(call.int(0), from, call.int(2), to, call.unsigned(4))),
  link:       (call) => call.withPaths(0, 1, (from, to) => call.files.link(AT.FDCWD, from, AT.FDCWD, to, 0)),
  linkat:     (call) => call.int(4) & ~LINKAT_KNOWN ? -errno.EINVAL
    : call.withPaths(1, 3, (from, to) => call.files.link(call.int(0), from, call.int(2), to, call.int(4))),
  symlink:    (call) => call.withPaths(0, 1, (target, path) => call.files.symlink(target, AT.FDCWD, path)),
  symlinkat:  (call) => call.withPaths(0, 2, (target, path) => call.files.symlink(target, call.int(1), path)),
  readlink:   (call) => readlinkAt(call, AT.FDCWD, 0),
  readlinkat: (call) => readlinkAt(call, call.int(0), 1),
} as const satisfies Record<string, Handler>;
