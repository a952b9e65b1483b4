/** Linux error numbers for x86-64 (include/uapi/asm-generic/errno*.h), the ones a file call can return. A failing call returns `-errno.ENOENT`. */
// biome-ignore format: columns stay aligned
export const errno = {
  EPERM: 1,   ENOENT: 2,  ESRCH: 3,   EINTR: 4,   EIO: 5,     ENXIO: 6,   E2BIG: 7,   ENOEXEC: 8,  EBADF: 9,
  ECHILD: 10, EAGAIN: 11, ENOMEM: 12, EACCES: 13, EFAULT: 14, ENOTBLK: 15, EBUSY: 16, EEXIST: 17,  EXDEV: 18,
  ENODEV: 19, ENOTDIR: 20, EISDIR: 21, EINVAL: 22, ENFILE: 23, EMFILE: 24, ENOTTY: 25, ETXTBSY: 26, EFBIG: 27,
  ENOSPC: 28, ESPIPE: 29, EROFS: 30,  EMLINK: 31, EPIPE: 32,  EDOM: 33,   ERANGE: 34, EDEADLK: 35, ENAMETOOLONG: 36,
  ENOLCK: 37, ENOSYS: 38, ENOTEMPTY: 39, ELOOP: 40, ENODATA: 61, EOVERFLOW: 75, EOPNOTSUPP: 95, ETIMEDOUT: 110,
} as const;

export type ErrnoName = keyof typeof errno;

/** The name of a negative result, for messages and tests. */
export function errnoName(result: number): string {
  for (const [name, value] of Object.entries(errno)) if (value === -result) return name;
  return String(result);
}
