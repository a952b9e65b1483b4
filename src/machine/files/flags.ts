/** Numbers of the file calls' flags on x86-64 Linux (include/uapi/linux/{fcntl,stat,poll,eventpoll,falloc,fs}.h). */
// biome-ignore format: columns stay aligned
export const O = {
  RDONLY: 0, WRONLY: 1, RDWR: 2, ACCMODE: 3,
  CREAT: 0o100, EXCL: 0o200, NOCTTY: 0o400, TRUNC: 0o1000, APPEND: 0o2000, NONBLOCK: 0o4000, DSYNC: 0o10000,
  ASYNC: 0o20000, DIRECT: 0o40000, LARGEFILE: 0o100000, DIRECTORY: 0o200000, NOFOLLOW: 0o400000, NOATIME: 0o1000000,
  CLOEXEC: 0o2000000, SYNC: 0o4010000, PATH: 0o10000000, TMPFILE_BIT: 0o20000000, TMPFILE: 0o20200000,
} as const;

export const S = {
  IFMT: 0o170000,
  IFSOCK: 0o140000,
  IFLNK: 0o120000,
  IFREG: 0o100000,
  IFBLK: 0o60000,
  IFDIR: 0o40000,
  IFCHR: 0o20000,
  IFIFO: 0o10000,
  ISUID: 0o4000,
  ISGID: 0o2000,
  ISVTX: 0o1000,
} as const;

export const AT = {
  FDCWD: -100,
  SYMLINK_NOFOLLOW: 0x100,
  REMOVEDIR: 0x200,
  EACCESS: 0x200,
  SYMLINK_FOLLOW: 0x400,
  NO_AUTOMOUNT: 0x800,
  EMPTY_PATH: 0x1000,
} as const;

export const SEEK = { SET: 0, CUR: 1, END: 2, DATA: 3, HOLE: 4 } as const;

export const FALLOC = { KEEP_SIZE: 1, PUNCH_HOLE: 2, COLLAPSE_RANGE: 8, ZERO_RANGE: 16, INSERT_RANGE: 32 } as const;

export const RENAME = { NOREPLACE: 1, EXCHANGE: 2, WHITEOUT: 4 } as const;

// biome-ignore format: columns stay aligned
export const F = {
  DUPFD: 0, GETFD: 1, SETFD: 2, GETFL: 3, SETFL: 4, GETLK: 5, SETLK: 6, SETLKW: 7, SETOWN: 8, GETOWN: 9, SETSIG: 10,
  GETSIG: 11, OFD_GETLK: 36, OFD_SETLK: 37, OFD_SETLKW: 38, SETLEASE: 1024, GETLEASE: 1025, DUPFD_CLOEXEC: 1030,
  SETPIPE_SZ: 1031, GETPIPE_SZ: 1032, ADD_SEALS: 1033, GET_SEALS: 1034,
} as const;

export const FD_CLOEXEC = 1;

export const POLL = {
  IN: 1,
  PRI: 2,
  OUT: 4,
  ERR: 8,
  HUP: 16,
  NVAL: 32,
  RDNORM: 64,
  WRNORM: 256,
  RDHUP: 0x2000,
} as const;

/** Event bits are those of POLL; these are the extra ones. */
export const EPOLL = { EXCLUSIVE: 1 << 28, WAKEUP: 1 << 29, ONESHOT: 1 << 30, ET: 2 ** 31 } as const;
export const EPOLL_CTL = { ADD: 1, DEL: 2, MOD: 3 } as const;

export const EFD_SEMAPHORE = 1;
