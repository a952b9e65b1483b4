/** Errors of node:fs as negative Linux error numbers, whatever numbers the host itself uses. */
// biome-ignore format: columns stay aligned
const linuxNumbers: Readonly<Record<string, number>> = {
  EPERM: 1,   ENOENT: 2,  EIO: 5,     ENXIO: 6,   EBADF: 9,   EAGAIN: 11,  ENOMEM: 12, EACCES: 13,
  EBUSY: 16,  EEXIST: 17, EXDEV: 18,  ENODEV: 19, ENOTDIR: 20, EISDIR: 21, EINVAL: 22, ENFILE: 23,
  EMFILE: 24, ETXTBSY: 26, EFBIG: 27, ENOSPC: 28, ESPIPE: 29, EROFS: 30,   EMLINK: 31, EPIPE: 32,
  ENAMETOOLONG: 36, ENOSYS: 38, ENOTEMPTY: 39, ELOOP: 40, EOVERFLOW: 75, EOPNOTSUPP: 95, ENOTSUP: 95,
};

const IO_ERROR = 5;

/** The code of an error thrown by node:fs; anything else is not ours to swallow. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  throw error;
}

/** Runs a call of node:fs; its failure becomes a value. */
export function attempt<Result>(call: () => Result): Result | number {
  try {
    return call();
  } catch (error) {
    return -(linuxNumbers[errorCode(error)] ?? IO_ERROR);
  }
}
