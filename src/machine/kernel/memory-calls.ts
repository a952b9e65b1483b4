/** System calls about the address space: mmap(2) and kin. */

import { errno, textFromPath } from "../files/index.ts";
import { type MapRequest, pageUp } from "../process/index.ts";
import { layout, pageSize } from "../runtime/index.ts";
import type { Call, Handler, Result } from "./call.ts";

const MAP = {
  SHARED: 1,
  PRIVATE: 2,
  SHARED_VALIDATE: 3,
  TYPE: 15,
  FIXED: 0x10,
  ANONYMOUS: 0x20,
  NORESERVE: 0x4000,
  HUGETLB: 0x4_0000,
  SYNC: 0x8_0000,
  FIXED_NOREPLACE: 0x10_0000,
} as const;
/** GROWSDOWN DENYWRITE EXECUTABLE LOCKED NORESERVE POPULATE NONBLOCK STACK and those above: what SHARED_VALIDATE knows. */
const KNOWN_FLAGS = 0x1f_f933;
const PROT_ALL = 7;
const PROT_GROWSDOWN = 0x0100_0000;
const PROT_GROWSUP = 0x0200_0000;

/** Lengths beyond user space cannot be had; Linux says ENOMEM. */
const tooLong = (length: number): boolean => length > layout.guestEnd;

function mmap(call: Call): Result {
  const [address, length, protection, flags] = [call.size(0), call.size(1), call.int(2) & PROT_ALL, call.unsigned(3)];
  const offset = call.size(5);
  if (offset % pageSize !== 0 || length === 0) return -errno.EINVAL;
  const type = flags & MAP.TYPE;
  if (type === 0 || type > MAP.SHARED_VALIDATE) return -errno.EINVAL;
  const supported = call.process.options.directAccess ? KNOWN_FLAGS : KNOWN_FLAGS & ~MAP.SYNC;
  if (type === MAP.SHARED_VALIDATE && flags & ~supported) return -errno.EOPNOTSUPP;
  if (flags & MAP.HUGETLB) return -errno.ENOMEM;
  const shared = type !== MAP.PRIVATE;
  const fixed = flags & MAP.FIXED_NOREPLACE ? "no-replace" : flags & MAP.FIXED ? "replace" : undefined;
  const common = { address, length, protection, shared, fixed } as const;
  const space = { map: (request: MapRequest) => (tooLong(length) ? -errno.ENOMEM : call.process.space.map(request)) };
  if (flags & MAP.ANONYMOUS) {
    const mapped = noticeFarAddress(call, space.map(common), address, fixed !== undefined);
    const meant = protection !== 0 && !(flags & MAP.NORESERVE) && fixed === undefined;
    if (mapped === -errno.ENOMEM && meant) noticeTooMuch(call, `${length} bytes`);
    return mapped;
  }

  const file = call.files.mappable(call.int(4));
  if (typeof file === "number") return file;
  if (!file.readable || (shared && protection & 2 && !file.writable)) return -errno.EACCES;
  if (file.kind === "zero") return space.map(common);
  if (offset + length > 2 ** 53) return -errno.EOVERFLOW;
  const ceiling = shared && !file.writable ? 5 : PROT_ALL;
  const mapped = space.map({ ...common, ceiling, file: { inode: file.inode, offset } });
  if (mapped === -errno.ENOMEM)
    noticeTooMuch(call, `${length} bytes of ${textFromPath(call.files.pathOf(file.inode))}`);
  return mapped;
}

/** A pool that is too large for the machine looks like any other failure to the program. */
function noticeTooMuch(call: Call, what: string): void {
  const fits = Math.min(layout.guestEnd, call.process.options.limits.memory);
  call.process.notice(
    `the guest wants ${what} mapped, which does not fit beside what is mapped already (ENOMEM); the machine has ${fits} bytes in all`,
  );
}

/** Sanitizers and some allocators insist on addresses the machine does not have: say so once. */
function noticeFarAddress(call: Call, result: number, address: number, insisted: boolean): number {
  if (insisted && result < 0 && address + call.size(1) > layout.guestEnd) {
    call.process.notice(
      `the guest insists on memory at 0x${address.toString(16)}, but the machine ends at 0x${layout.guestEnd.toString(16)} (ENOMEM)`,
    );
  }
  return result;
}

function mprotect(call: Call): Result {
  const [start, length, flags] = [call.size(0), call.size(1), call.unsigned(2)];
  if (flags & ~(PROT_ALL | PROT_GROWSDOWN | PROT_GROWSUP)) return -errno.EINVAL;
  if (start + length > layout.guestEnd) return start % pageSize === 0 ? -errno.ENOMEM : -errno.EINVAL;
  const { space } = call.process;
  const bottom = flags & PROT_GROWSDOWN ? (space.areaAt(start)?.start ?? start) : start;
  return space.protect(bottom, length + (start - bottom), flags & PROT_ALL);
}

const MREMAP = { MAYMOVE: 1, FIXED: 2, DONTUNMAP: 4 } as const;

function mremap(call: Call): Result {
  const [start, oldLength, newLength, flags] = [call.size(0), call.size(1), call.size(2), call.unsigned(3)];
  if (flags & ~(MREMAP.MAYMOVE | MREMAP.FIXED) || (flags & MREMAP.FIXED && !(flags & MREMAP.MAYMOVE))) {
    return -errno.EINVAL;
  }
  if (tooLong(newLength)) return -errno.ENOMEM;
  if (tooLong(oldLength)) return -errno.EINVAL;
  const to = flags & MREMAP.FIXED ? call.size(4) : flags & MREMAP.MAYMOVE ? "anywhere" : undefined;
  return call.process.space.remap(start, oldLength, newLength, to);
}

const MADV_DONTNEED = 4;
/** NORMAL RANDOM SEQUENTIAL WILLNEED FREE and the huge-page, dump, fork and populate hints: nothing to do. */
const idleAdvice: ReadonlySet<number> = new Set([
  0, 1, 2, 3, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
]);

function madvise(call: Call): Result {
  const [start, length, advice] = [call.size(0), call.size(1), call.int(2)];
  if (start % pageSize !== 0 || tooLong(length)) return -errno.EINVAL;
  if (advice === MADV_DONTNEED) return length === 0 ? 0 : call.process.space.discard(start, length);
  if (!idleAdvice.has(advice)) return -errno.EINVAL;
  return call.process.space.isCovered(start, length) ? 0 : -errno.ENOMEM;
}

const MS = { ASYNC: 1, INVALIDATE: 2, SYNC: 4 } as const;

function msync(call: Call): Result {
  const [start, length, flags] = [call.size(0), call.size(1), call.int(2)];
  const contradictory = flags & MS.ASYNC && flags & MS.SYNC;
  if (flags & ~7 || contradictory || start % pageSize !== 0) return -errno.EINVAL;
  if (tooLong(length)) return -errno.ENOMEM;
  return call.process.space.sync(start, length, (flags & MS.SYNC) !== 0);
}

function mincore(call: Call): Result {
  const [start, length] = [call.size(0), call.size(1)];
  if (start % pageSize !== 0) return -errno.EINVAL;
  if (tooLong(length) || !call.process.space.isCovered(start, length)) return -errno.ENOMEM;
  return call.put(call.size(2), new Uint8Array(pageUp(length) / pageSize).fill(1));
}

/** Nothing is ever swapped out, so locking only checks that the range is mapped. */
function mlock(call: Call): Result {
  const start = call.size(0) - (call.size(0) % pageSize);
  const length = call.size(1) + (call.size(0) - start);
  if (tooLong(length)) return -errno.ENOMEM;
  return call.process.space.isCovered(start, length) ? 0 : -errno.ENOMEM;
}

export const memoryCalls = {
  mmap,
  munmap: (call) => (tooLong(call.size(1)) ? -errno.EINVAL : call.process.space.unmap(call.size(0), call.size(1))),
  mprotect,
  mremap,
  madvise,
  msync,
  mincore,
  mlock,
  mlock2: mlock,
  munlock: mlock,
  mlockall: () => 0,
  munlockall: () => 0,
  brk: (call) => call.process.space.setBreak(call.size(0)),
} as const satisfies Record<string, Handler>;
