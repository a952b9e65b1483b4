/** System calls that wait for descriptors: poll(2), select(2), epoll(7). */
import { EPOLL_CTL, errno, POLL } from "../files/index.ts";
import { type Call, type Handler, type Result, struct } from "./call.ts";
import { maskForCall, readMask } from "./signal-calls.ts";
import { readTimespec, readTimeval, timespec } from "./time-calls.ts";
import { waitForFiles } from "./transfer-calls.ts";

const MILLISECOND = 1_000_000n;

/** When a call gives up: at a time, never, or at once. A number is an error. */
type Deadline = bigint | "never" | "now";

function afterMilliseconds(call: Call, milliseconds: number): Deadline {
  if (milliseconds < 0) return "never";
  return milliseconds === 0 ? "now" : call.process.now() + BigInt(milliseconds) * MILLISECOND;
}

function afterTime(call: Call, address: number, read: typeof readTimespec): Deadline | number {
  if (address === 0) return "never";
  const time = read(call, address);
  if (typeof time === "number") return time;
  return time === 0n ? "now" : call.process.now() + time;
}

/** Blocks, unless time is up. `deadline` counts only the first time: afterwards the wait knows. */
function orWait(call: Call, deadline: Deadline, timedOut: () => Result): Result {
  if (call.resumed !== undefined) {
    if (call.resumed.by === "timeout") return timedOut();
    return waitForFiles(call, call.resumed.wait.deadline, false);
  }
  if (deadline === "now") return timedOut();
  return waitForFiles(call, deadline === "never" ? undefined : deadline, false);
}

/** Sets the call's own signal mask, once. 0 or a negative error number. */
function useMask(call: Call, address: number, size: number): number {
  if (address === 0 || call.resumed !== undefined) return 0;
  if (size !== 8) return -errno.EINVAL;
  const mask = readMask(call, address);
  if (typeof mask === "number") return mask;
  maskForCall(call.thread, mask);
  return 0;
}

const POLLFD_BYTES = 8;
const ALWAYS = POLL.ERR | POLL.HUP | POLL.NVAL;

function poll(call: Call, deadline: Deadline | number): Result {
  if (typeof deadline === "number") return deadline;
  const [address, count] = [call.size(0), call.unsigned(1)];
  if (BigInt(count) > call.process.state.limits[7]!.soft) return -errno.EINVAL;
  const view = call.view(address, count * POLLFD_BYTES);
  if (view === undefined) return -errno.EFAULT;
  let ready = 0;
  for (let at = 0; at < count * POLLFD_BYTES; at += POLLFD_BYTES) {
    const [fd, wanted] = [view.getInt32(at, true), view.getUint16(at + 4, true)];
    const events = fd < 0 ? 0 : call.files.readiness(fd) & (wanted | ALWAYS);
    view.setUint16(at + 6, events, true);
    if (events !== 0) ready++;
  }
  const failed = call.put(address, new Uint8Array(view.buffer));
  return failed < 0 || ready > 0 ? failed || ready : orWait(call, deadline, () => 0);
}

function ppoll(call: Call): Result {
  const deadline = call.resumed ? "never" : afterTime(call, call.size(2), readTimespec);
  return useMask(call, call.size(3), call.size(4)) || poll(call, deadline);
}

/** What readiness means for the three sets of select(2). */
const selectEvents = [
  POLL.IN | POLL.RDNORM | POLL.HUP | POLL.ERR,
  POLL.OUT | POLL.WRNORM | POLL.ERR,
  POLL.PRI,
] as const;

function select(call: Call, deadline: Deadline | number, remainder: (left: bigint) => void): Result {
  if (typeof deadline === "number") return deadline;
  const count = Math.min(call.int(0), 1024);
  if (call.int(0) < 0) return -errno.EINVAL;
  const bytes = Math.ceil(count / 64) * 8;
  const addresses = [1, 2, 3].map((index) => call.size(index));
  const wanted = addresses.map((address) => (address === 0 ? new Uint8Array(bytes) : call.memory.read(address, bytes)));
  const found = addresses.map(() => new Uint8Array(bytes));
  let ready = 0;
  for (let fd = 0; fd < count; fd++) {
    for (const [index, set] of wanted.entries()) {
      if (set === undefined) return -errno.EFAULT;
      if (!(set[fd >>> 3]! & (1 << (fd & 7)))) continue;
      const events = call.files.readiness(fd);
      if (events & POLL.NVAL) return -errno.EBADF;
      if (!(events & selectEvents[index]!)) continue;
      found[index]![fd >>> 3]! |= 1 << (fd & 7);
      ready++;
    }
  }
  if (ready === 0) {
    const waiting = orWait(call, deadline, () => 0);
    if (typeof waiting !== "number") return waiting;
  }
  const until = call.resumed ? call.resumed.wait.deadline : typeof deadline === "bigint" ? deadline : undefined;
  if (until !== undefined) remainder(until > call.process.now() ? until - call.process.now() : 0n);
  for (const [index, address] of addresses.entries()) {
    if (address !== 0 && !call.memory.write(address, found[index]!)) return -errno.EFAULT;
  }
  return ready;
}

function plainSelect(call: Call): Result {
  const address = call.size(4);
  const deadline = call.resumed ? "never" : afterTime(call, address, readTimeval);
  return select(call, deadline, (left) => {
    const bytes = struct(16, (view) => {
      view.setBigInt64(0, left / 1_000_000_000n, true);
      view.setBigInt64(8, (left % 1_000_000_000n) / 1000n, true);
    });
    call.memory.write(address, bytes);
  });
}

/** pselect6's sixth argument points to the mask's address and size. */
function pselect6(call: Call): Result {
  const deadline = call.resumed ? "never" : afterTime(call, call.size(4), readTimespec);
  const packed = call.size(5) === 0 ? undefined : call.view(call.size(5), 16);
  if (call.size(5) !== 0 && packed === undefined) return -errno.EFAULT;
  if (packed !== undefined) {
    const failed = useMask(call, Number(packed.getBigUint64(0, true)), Number(packed.getBigUint64(8, true)));
    if (failed < 0) return failed;
  }
  return select(call, deadline, (left) => {
    call.memory.write(call.size(4), timespec(left));
  });
}

const EVENT_BYTES = 12;

function epollControl(call: Call): Result {
  const operation = call.int(1);
  const view = operation === EPOLL_CTL.DEL ? undefined : call.view(call.size(3), EVENT_BYTES);
  if (operation !== EPOLL_CTL.DEL && view === undefined) return -errno.EFAULT;
  const event = { events: view?.getUint32(0, true) ?? 0, data: view?.getBigUint64(4, true) ?? 0n };
  return call.files.epollControl(call.int(0), operation, call.int(2), event);
}

function epollWait(call: Call, deadline: Deadline | number): Result {
  if (typeof deadline === "number") return deadline;
  const [address, max] = [call.size(1), call.int(2)];
  if (max <= 0 || max > 2 ** 31 / EVENT_BYTES) return -errno.EINVAL;
  if (!call.memory.canWrite(address, max * EVENT_BYTES)) return -errno.EFAULT;
  const events = call.files.epollTake(call.int(0), max);
  if (typeof events === "number") return events;
  if (events.length === 0) return orWait(call, deadline, () => 0);
  const bytes = struct(events.length * EVENT_BYTES, (view) => {
    events.forEach(({ events: bits, data }, index) => {
      view.setUint32(index * EVENT_BYTES, bits, true);
      view.setBigUint64(index * EVENT_BYTES + 4, data, true);
    });
  });
  return call.put(address, bytes) || events.length;
}

export const pollCalls = {
  poll: (call) => poll(call, afterMilliseconds(call, call.int(2))),
  ppoll,
  select: plainSelect,
  pselect6,
  epoll_create: (call) => (call.int(0) <= 0 ? -errno.EINVAL : call.files.epollCreate(0)),
  epoll_create1: (call) => call.files.epollCreate(call.int(0)),
  epoll_ctl: epollControl,
  epoll_wait: (call) => epollWait(call, afterMilliseconds(call, call.int(3))),
  epoll_pwait: (call) =>
    useMask(call, call.size(4), call.size(5)) || epollWait(call, afterMilliseconds(call, call.int(3))),
  epoll_pwait2: (call) => {
    const deadline = call.resumed ? "never" : afterTime(call, call.size(3), readTimespec);
    return useMask(call, call.size(4), call.size(5)) || epollWait(call, deadline);
  },
} as const satisfies Record<string, Handler>;
