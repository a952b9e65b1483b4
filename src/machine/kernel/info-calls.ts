/** System calls that tell of the process and the system, or set what nothing here depends on. */
import { bytesOf, errno } from "../files/index.ts";
import { type Call, type Handler, type Result, struct } from "./call.ts";
import { HOSTNAME, KERNEL_RELEASE, KERNEL_VERSION } from "./facts.ts";
import { PARENT_PID, PID } from "./process.ts";

const uname = struct(6 * 65, (view) => {
  ["Linux", HOSTNAME, KERNEL_RELEASE, KERNEL_VERSION, "x86_64", "(none)"].forEach((text, field) => {
    bytesOf(text).forEach((byte, index) => {
      view.setUint8(65 * field + index, byte);
    });
  });
});

/** struct sysinfo. */
const sysinfo = (call: Call): Uint8Array =>
  struct(112, (view) => {
    const { options, space } = call.process;
    const words = [Number(call.process.now() / 1_000_000_000n), 0, 0, 0, options.limits.memory];
    [...words, Math.max(0, options.limits.memory - space.state.areas.bytes)].forEach((word, index) => {
      view.setBigUint64(8 * index, BigInt(word), true);
    });
    view.setUint16(80, 1, true);
    view.setUint32(104, 1, true);
  });

const GRND_KNOWN = 7;

function getrandom(call: Call): Result {
  if (call.unsigned(2) & ~GRND_KNOWN) return -errno.EINVAL;
  const length = Math.min(call.size(1), 0x1ff_ffff);
  const bytes = new Uint8Array(length);
  if (!call.memory.canWrite(call.size(0), length)) return -errno.EFAULT;
  call.process.fillRandom(bytes);
  return call.put(call.size(0), bytes) || length;
}

const ARCH = { SET_GS: 0x1001, SET_FS: 0x1002, GET_FS: 0x1003, GET_GS: 0x1004 } as const;
const USER_END = 2n ** 47n;

function archPrctl(call: Call): Result {
  const { cpu } = call.process;
  const value = call.raw(1);
  const get = (base: bigint) =>
    call.put(
      call.size(1),
      struct(8, (view) => view.setBigUint64(0, base, true)),
    );
  switch (call.int(0)) {
    case ARCH.SET_FS:
    case ARCH.SET_GS:
      if (value >= USER_END) return -errno.EPERM;
      if (call.int(0) === ARCH.SET_FS) cpu.fsBase = value;
      else cpu.gsBase = value;
      return 0;
    case ARCH.GET_FS:
      return get(cpu.fsBase);
    case ARCH.GET_GS:
      return get(cpu.gsBase);
    default:
      return -errno.EINVAL;
  }
}

/** prctl(2) options that are asked for in practice. */
const prctls: Readonly<Record<number, Handler>> = {
  1: () => 0, // PR_SET_PDEATHSIG
  3: (call) => call.process.state.dumpable, // PR_GET_DUMPABLE
  4: (call) => {
    if (call.size(1) > 1) return -errno.EINVAL;
    call.process.state.dumpable = call.size(1); // PR_SET_DUMPABLE
    return 0;
  },
  15: (call) => {
    const name = call.text(call.size(1), 16); // PR_SET_NAME
    if (name === -errno.EFAULT) return name;
    call.thread.name = typeof name === "string" ? name : cutName(call);
    return 0;
  },
  16: (call) =>
    call.put(
      call.size(1),
      struct(16, (view) => {
        bytesOf(call.thread.name).forEach((byte, index) => {
          view.setUint8(index, byte); // PR_GET_NAME
        });
      }),
    ),
  21: () => 0, // PR_GET_SECCOMP
  23: (call) => (call.size(1) > 40 ? -errno.EINVAL : 0), // PR_CAPBSET_READ
  29: () => 0, // PR_SET_TIMERSLACK
  30: () => 50_000, // PR_GET_TIMERSLACK
  36: () => 0, // PR_SET_CHILD_SUBREAPER
  38: () => 0, // PR_SET_NO_NEW_PRIVS
  39: () => 0, // PR_GET_NO_NEW_PRIVS
  41: () => 0, // PR_SET_THP_DISABLE
  1499557217: () => 0, // PR_SET_PTRACER
};

function cutName(call: Call): string {
  const bytes = call.memory.read(call.size(1), 15) ?? new Uint8Array();
  return String.fromCharCode(...bytes);
}

const limitBytes = (soft: bigint, hard: bigint): Uint8Array =>
  struct(16, (view) => {
    view.setBigUint64(0, soft, true);
    view.setBigUint64(8, hard, true);
  });

/** prlimit64(pid, resource, new, old). */
function prlimit(call: Call, pid: number, resource: number, set: number, get: number): Result {
  const { state } = call.process;
  const limit = state.limits[resource];
  if (limit === undefined) return -errno.EINVAL;
  if (pid !== 0 && pid !== PID) return -errno.ESRCH;
  const wanted = set === 0 ? undefined : call.view(set, 16);
  if (set !== 0 && wanted === undefined) return -errno.EFAULT;
  const [soft, hard] = wanted ? [wanted.getBigUint64(0, true), wanted.getBigUint64(8, true)] : [limit.soft, limit.hard];
  if (soft > hard) return -errno.EINVAL;
  if (hard > limit.hard) return -errno.EPERM;
  const failed = call.putIfWanted(get, () => limitBytes(limit.soft, limit.hard));
  if (failed < 0) return failed;
  state.limits = state.limits.with(resource, { soft, hard });
  return 0;
}

function getrusage(call: Call): Result {
  const who = call.int(0);
  if (who < -1 || who > 1) return -errno.EINVAL;
  const used = who === 1 ? call.thread.instructions : who === 0 ? call.process.state.instructions : 0n;
  return call.put(
    call.size(1),
    struct(144, (view) => {
      view.setBigInt64(0, used / 1_000_000_000n, true);
      view.setBigInt64(8, (used % 1_000_000_000n) / 1000n, true);
      view.setBigInt64(32, BigInt(call.memory.peakPages * 4), true);
    }),
  );
}

/** The mask of CPUs the guest believes in, in whole 8-byte words. */
function getAffinity(call: Call): Result {
  const length = call.unsigned(1);
  const { cpus } = call.process.options;
  const bytes = Math.ceil(cpus / 64) * 8;
  if (length < bytes || length % 8 !== 0) return -errno.EINVAL;
  if (!isThread(call, call.int(0))) return -errno.ESRCH;
  const mask = new Uint8Array(bytes);
  for (let cpu = 0; cpu < cpus; cpu++) mask[cpu >>> 3]! |= 1 << (cpu & 7);
  return call.put(call.size(2), mask) || bytes;
}

const isThread = (call: Call, tid: number): boolean => tid === 0 || call.process.thread(tid) !== undefined;
const ifThread = (call: Call, result: () => Result): Result => (isThread(call, call.int(0)) ? result() : -errno.ESRCH);

function setAffinity(call: Call): Result {
  const mask = call.memory.read(call.size(2), Math.min(call.unsigned(1), 128));
  if (mask === undefined) return -errno.EFAULT;
  return mask.some((byte) => byte !== 0) ? ifThread(call, () => 0) : -errno.EINVAL;
}

function getcpu(call: Call): Result {
  const zero = () => new Uint8Array(4);
  return call.putIfWanted(call.size(0), zero) || call.putIfWanted(call.size(1), zero);
}

const zeroIds = (call: Call, id: number): Result => {
  const bytes = struct(4, (view) => view.setUint32(0, id, true));
  return call.put(call.size(0), bytes) || call.put(call.size(1), bytes) || call.put(call.size(2), bytes);
};
/** setuid and kin: the guest may become who it is. */
const sameId =
  (which: "uid" | "gid", count: number): Handler =>
  (call) => {
    for (let i = 0; i < count; i++) {
      const id = call.unsigned(i);
      if (id !== call.process.options[which] && id !== 0xffff_ffff) return -errno.EPERM;
    }
    return 0;
  };

const CAPABILITY_VERSION = 0x20080522;

function capget(call: Call): Result {
  const header = call.view(call.size(0), 8);
  if (header === undefined) return -errno.EFAULT;
  if (header.getUint32(0, true) !== CAPABILITY_VERSION) {
    call.memory.writeU32(call.size(0), CAPABILITY_VERSION);
    return call.size(1) === 0 ? 0 : -errno.EINVAL;
  }
  return call.putIfWanted(call.size(1), () => new Uint8Array(24));
}

// biome-ignore format: a row per call
export const infoCalls = {
  uname:      (call) => call.put(call.size(0), uname),
  sysinfo:    (call) => call.put(call.size(0), sysinfo(call)),
  getrandom,
  arch_prctl: archPrctl,
  prctl:      (call) => (prctls[call.int(0)] ?? (() => -errno.EINVAL))(call),
  prlimit64:  (call) => prlimit(call, call.int(0), call.unsigned(1), call.size(2), call.size(3)),
  getrlimit:  (call) => call.size(1) === 0 ? -errno.EFAULT : prlimit(call, 0, call.unsigned(0), 0, call.size(1)),
  setrlimit:  (call) => call.size(1) === 0 ? -errno.EFAULT : prlimit(call, 0, call.unsigned(0), call.size(1), 0),
  getrusage,
  personality: (call) => {
    const was = call.process.state.personality;
    if (call.unsigned(0) !== 0xffff_ffff) call.process.state.personality = call.unsigned(0);
    return was;
  },
  getpid:     () => PID,
  getppid:    () => PARENT_PID,
  getpgrp:    () => PID,
  getpgid:    (call) => ifThread(call, () => PID),
  getsid:     (call) => ifThread(call, () => PID),
  setpgid:    (call) => ifThread(call, () => 0),
  setsid:     () => -errno.EPERM,
  getuid:     (call) => call.process.options.uid,
  geteuid:    (call) => call.process.options.uid,
  getgid:     (call) => call.process.options.gid,
  getegid:    (call) => call.process.options.gid,
  getresuid:  (call) => zeroIds(call, call.process.options.uid),
  getresgid:  (call) => zeroIds(call, call.process.options.gid),
  setuid:     sameId("uid", 1),
  setgid:     sameId("gid", 1),
  setreuid:   sameId("uid", 2),
  setregid:   sameId("gid", 2),
  setresuid:  sameId("uid", 3),
  setresgid:  sameId("gid", 3),
  setfsuid:   (call) => call.process.options.uid,
  setfsgid:   (call) => call.process.options.gid,
  getgroups:  () => 0,
  setgroups:  () => -errno.EPERM,
  capget,
  capset:     () => -errno.EPERM,
  getpriority: () => 20,
  setpriority: () => 0,
  ioprio_get: () => 0,
  ioprio_set: () => 0,
  sched_getaffinity: getAffinity,
  sched_setaffinity: setAffinity,
  sched_getscheduler: (call) => ifThread(call, () => 0),
  sched_setscheduler: (call) => ifThread(call, () => call.int(1) === 0 ? 0 : -errno.EPERM),
  sched_getparam: (call) => ifThread(call, () => call.put(call.size(1), new Uint8Array(4))),
  sched_setparam: (call) => ifThread(call, () => 0),
  sched_get_priority_max: (call) => call.int(0) === 1 || call.int(0) === 2 ? 99 : 0,
  sched_get_priority_min: (call) => call.int(0) === 1 || call.int(0) === 2 ? 1 : 0,
  sched_rr_get_interval: (call) => call.put(call.size(1), new Uint8Array(16)),
  getcpu,
  membarrier: (call) => call.int(0) === 0 ? 0x1ff : 0,
  set_mempolicy: () => 0,
  get_mempolicy: (call) => call.putIfWanted(call.size(0), () => new Uint8Array(4)),
  mbind:      () => 0,
} as const satisfies Record<string, Handler>;
