/** System calls that move bytes between guest memory and files: read(2), write(2) and kin. */

import { errno, F, O, type Transfer } from "../files/index.ts";
import { pageSize } from "../runtime/index.ts";
import { type Call, type Handler, type Result, TRANSFER_MAX } from "./call.ts";
import { sentSignal } from "./siginfo.ts";
import { SI, SIG } from "./signal-numbers.ts";
import { sendToThread } from "./signals.ts";
import type { Wait } from "./state.ts";

/** Moved through the host at once. */
const CHUNK = 1 << 20;
const IOV_MAX = 1024;

interface Range {
  readonly address: number;
  readonly length: number;
}

/** Until a pipe, eventfd or descriptor changes. */
export const waitForFiles = (call: Call, deadline: bigint | undefined, restart: boolean, done = 0): Wait => ({
  kind: "files",
  seen: call.files.changeCount(),
  deadline,
  restart,
  done,
});

/** How much of a range the guest may access, from its start, in the pages' steps. */
function accessible(range: Range, allowed: (address: number, length: number) => boolean): number {
  if (allowed(range.address, range.length)) return range.length;
  let length = 0;
  while (length < range.length) {
    const step = Math.min(pageSize - ((range.address + length) % pageSize), range.length - length);
    if (!allowed(range.address + length, step)) break;
    length += step;
  }
  return length;
}

type Step = (range: Range, offset: number | undefined) => Transfer;

/** Calls `step` for chunk after chunk of the ranges, `skip` bytes of them done before. What stopped it, if anything. */
function move(
  ranges: readonly Range[],
  skip: number,
  offset: number | undefined,
  wantsMore: (moved: number, length: number) => boolean,
  step: Step,
): { total: number; stop: Transfer | undefined } {
  let total = skip;
  let before = 0;
  for (const { address, length } of ranges) {
    while (total - before < length) {
      const done = total - before;
      const part = { address: address + done, length: Math.min(CHUNK, length - done) };
      const moved = step(part, offset === undefined ? undefined : offset + total);
      if (typeof moved !== "number" || moved < 0) return { total, stop: moved };
      total += moved;
      if (!wantsMore(moved, part.length)) return { total, stop: undefined };
    }
    before += length;
  }
  return { total, stop: undefined };
}

/** What the guest sees of a transfer that stopped. */
function settle(call: Call, total: number, stop: Transfer | undefined): Result {
  if (stop === "output-limit") return { kind: "output-limit" };
  if (stop === undefined || (total > 0 && stop !== "blocked")) return total;
  if (stop === "blocked") return waitForFiles(call, undefined, true, total);
  if (stop === -errno.EPIPE) {
    sendToThread(call.process, call.thread, sentSignal(SIG.PIPE, SI.USER, call.process.options.uid));
  }
  return stop;
}

function read(call: Call, ranges: readonly Range[], offset?: number): Result {
  const fd = call.int(0);
  const step: Step = (range, at) => {
    const length = accessible(range, (address, size) => call.memory.canWrite(address, size));
    const buffer = new Uint8Array(length);
    const count = call.files.read(fd, buffer, at);
    if (typeof count === "number" && count > 0) call.memory.write(range.address, buffer.subarray(0, count));
    return count === 0 && length < range.length ? -errno.EFAULT : count;
  };
  if (ranges.every(({ length }) => length === 0)) return settle(call, 0, step({ address: 0, length: 0 }, offset));
  const { total, stop } = move(ranges, 0, offset, (moved, length) => moved === length, step);
  return total > 0 && stop !== "output-limit" ? total : settle(call, total, stop);
}

function write(call: Call, ranges: readonly Range[], offset?: number): Result {
  const fd = call.int(0);
  const step: Step = (range, at) => {
    const length = accessible(range, (address, size) => call.memory.canRead(address, size));
    const count = call.files.write(fd, call.memory.read(range.address, length)!, at);
    return count === 0 && length < range.length ? -errno.EFAULT : count;
  };
  if (ranges.every(({ length }) => length === 0)) return settle(call, 0, step({ address: 0, length: 0 }, offset));
  const before = call.resumed?.wait.kind === "files" ? call.resumed.wait.done : 0;
  const { total, stop } = move(ranges, before, offset, (moved) => moved > 0, step);
  return settle(call, total, stop);
}

const oneRange = (call: Call): readonly Range[] => [
  { address: call.size(1), length: Math.min(call.size(2), TRANSFER_MAX) },
];

/** The iovec array of arguments 1 and 2, or a negative error number. */
function vector(call: Call): readonly Range[] | number {
  const [address, count] = [call.size(1), call.size(2)];
  if (count > IOV_MAX) return -errno.EINVAL;
  const view = call.view(address, count * 16);
  if (view === undefined) return -errno.EFAULT;
  const ranges: Range[] = [];
  let total = 0;
  for (let i = 0; i < count; i++) {
    const length = Number(view.getBigInt64(i * 16 + 8, true));
    if (length < 0) return -errno.EINVAL;
    const allowed = Math.min(length, TRANSFER_MAX - total);
    ranges.push({ address: Number(view.getBigUint64(i * 16, true)), length: allowed });
    total += allowed;
  }
  return ranges;
}

const positioned =
  (run: typeof read): Handler =>
  (call) => {
    const offset = call.signed(3);
    return offset < 0 ? -errno.EINVAL : run(call, oneRange(call), offset);
  };

const vectored =
  (run: typeof read): Handler =>
  (call) => {
    const ranges = vector(call);
    return typeof ranges === "number" ? ranges : run(call, ranges);
  };

/** preadv and pwritev, and their second versions, for which offset -1 means the file's position. */
const vectoredAt =
  (run: typeof read, acceptsPosition: boolean): Handler =>
  (call) => {
    const offset = call.signed(3);
    const ranges = vector(call);
    if (typeof ranges === "number") return ranges;
    if (acceptsPosition && offset === -1) return run(call, ranges);
    return offset < 0 ? -errno.EINVAL : run(call, ranges, offset);
  };

/** sendfile and copy_file_range: bytes that never pass through guest memory. */
function copy(call: Call, from: number, fromAt: number, to: number, toAt: number, length: number): Result {
  const offsets = [readOffset(call, fromAt), readOffset(call, toAt)] as const;
  if (offsets.includes(-1)) return -errno.EFAULT;
  let total = 0;
  while (total < length) {
    const buffer = new Uint8Array(Math.min(CHUNK, length - total));
    const at = (index: 0 | 1) => (offsets[index] === undefined ? undefined : offsets[index] + total);
    const count = call.files.read(from, buffer, at(0));
    if (typeof count !== "number") return total > 0 ? total : waitForFiles(call, undefined, true);
    if (count <= 0) return total > 0 ? finishCopy(call, fromAt, toAt, offsets, total) : count;
    const written = call.files.write(to, buffer.subarray(0, count), at(1));
    if (written === "output-limit") return { kind: "output-limit" };
    if (typeof written !== "number") return total > 0 ? total : waitForFiles(call, undefined, true);
    if (written < 0) return total > 0 ? total : written;
    total += written;
    if (count < buffer.length || written < count) break;
  }
  return finishCopy(call, fromAt, toAt, offsets, total);
}

const readOffset = (call: Call, address: number): number | undefined =>
  address === 0 ? undefined : Number(call.memory.readU64(address) ?? -1n);

function finishCopy(
  call: Call,
  fromAt: number,
  toAt: number,
  offsets: readonly (number | undefined)[],
  total: number,
): number {
  if (fromAt !== 0) call.memory.writeU64(fromAt, BigInt(offsets[0]! + total));
  if (toAt !== 0) call.memory.writeU64(toAt, BigInt(offsets[1]! + total));
  return total;
}

function sendfile(call: Call): Result {
  const flags = call.files.fcntl(call.int(0), F.GETFL, 0);
  if (flags < 0) return flags;
  if (flags & O.APPEND) return -errno.EINVAL;
  return copy(call, call.int(1), call.size(2), call.int(0), 0, Math.min(call.size(3), TRANSFER_MAX));
}

function copyFileRange(call: Call): Result {
  if (call.unsigned(5) !== 0) return -errno.EINVAL;
  const flags = call.files.fcntl(call.int(2), F.GETFL, 0);
  if (flags < 0) return flags;
  if (flags & O.APPEND) return -errno.EBADF;
  return copy(call, call.int(0), call.size(1), call.int(2), call.size(3), Math.min(call.size(4), TRANSFER_MAX));
}

export const transferCalls = {
  read: (call) => read(call, oneRange(call)),
  write: (call) => write(call, oneRange(call)),
  pread64: positioned(read),
  pwrite64: positioned(write),
  readv: vectored(read),
  writev: vectored(write),
  preadv: vectoredAt(read, false),
  pwritev: vectoredAt(write, false),
  preadv2: vectoredAt(read, true),
  pwritev2: vectoredAt(write, true),
  sendfile,
  copy_file_range: copyFileRange,
} as const satisfies Record<string, Handler>;
