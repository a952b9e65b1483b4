/** Threads, the scheduler and signals, driven by hand. */
import { describe, expect, test } from "vitest";
import { Harness } from "../../../test/kernel/harness.ts";
import { errno } from "../files/index.ts";
import { gpr } from "../process/index.ts";

const THREAD = 0x3d0f00;
const [FUTEX_WAIT, FUTEX_WAKE] = [0, 1];

/** A second thread, not yet run. */
function withThread(options: ConstructorParameters<typeof Harness>[0] = {}) {
  const harness = new Harness(options);
  const tid = harness.call("clone", THREAD, harness.scratch + 0x8000, harness.scratch, harness.scratch + 4, 0x1234);
  return { harness, tid, kernel: harness.kernel };
}

describe("clone", () => {
  test("starts a thread on its own stack and thread pointer", () => {
    const { harness, tid, kernel } = withThread({ hooks: { chooseThread: (tids) => tids.length - 1 } });
    expect(tid).toBe(1001);
    expect(harness.memory.readU32(harness.scratch)).toBe(tid);
    harness.start("sched_yield");
    expect(kernel.schedule()).toMatchObject({ kind: "run", tid });
    expect(kernel.cpu.gpr(gpr.rax)).toBe(0n);
    expect(kernel.cpu.gpr(gpr.rsp)).toBe(BigInt(harness.scratch + 0x8000));
    expect(kernel.cpu.fsBase).toBe(0x1234n);
    expect(harness.call("gettid")).toBe(tid);
  });

  test("a new process is refused with a reason", () => {
    const harness = new Harness();
    expect(harness.call("clone", 17, 0, 0, 0, 0)).toBe(-errno.ENOSYS);
    expect(harness.notices[0]).toMatch(/new process/);
  });

  test("more threads than the limit are refused", () => {
    const { harness } = withThread({ kernel: { limits: { threads: 2, memory: 2 ** 32, instructions: 1e9 } } });
    expect(harness.call("clone", THREAD, harness.scratch + 0x8000, harness.scratch, 0, 0)).toBe(-errno.EAGAIN);
    expect(harness.notices[0]).toMatch(/limit of 2 threads/);
  });
});

describe("waiting", () => {
  test("a futex wakes the oldest waiter, and exit clears the thread's word", () => {
    const { harness, tid, kernel } = withThread();
    const word = harness.scratch + 64;
    expect(harness.start("futex", word, FUTEX_WAIT, 0, 0)).toBe("switch");
    expect(kernel.schedule()).toMatchObject({ tid });
    expect(harness.call("futex", word, FUTEX_WAKE, 9)).toBe(1);
    harness.memory.writeU32(harness.scratch + 4, 77);
    expect(harness.start("exit", 0)).toBe("switch");
    expect(harness.memory.readU32(harness.scratch + 4)).toBe(0);
    expect(kernel.schedule()).toMatchObject({ tid: 1000 });
    expect(harness.result).toBe(0);
  });

  test("a futex is one in every mapping of its file, whether that was used before or not", () => {
    const { harness, tid, kernel } = withThread({ entries: { "/tmp/file": "\0\0\0\0" } });
    const fd = harness.call("open", harness.text("/tmp/file"), 2, 0);
    const map = () => harness.call("mmap", 0, 0x1000, 3, 1, fd, 0);
    const [one, two] = [map(), map()];
    expect(harness.start("futex", one, FUTEX_WAIT, 0, 0)).toBe("switch");
    expect(kernel.schedule()).toMatchObject({ tid });
    expect(harness.memory.canRead(two, 4)).toBe(true);
    expect(harness.call("futex", two, FUTEX_WAKE, 9)).toBe(1);
  });

  test("when nobody can ever run again, it is a deadlock that names every thread", () => {
    const { harness, tid, kernel } = withThread();
    const word = harness.scratch + 64;
    harness.start("futex", word, FUTEX_WAIT, 0, 0);
    kernel.schedule();
    harness.start("pause");
    const outcome = kernel.schedule();
    expect(outcome).toMatchObject({
      kind: "deadlock",
      threads: [
        { tid: 1000, waitsFor: `a futex at 0x${word.toString(16)}`, rip: 0x40_0100 },
        { tid, waitsFor: "a signal" },
      ],
    });
  });

  test("time jumps to the first deadline when all sleep", () => {
    const { harness, tid, kernel } = withThread();
    const sleep = (seconds: number) => {
      harness.memory.writeU64(harness.scratch + 128, BigInt(seconds));
      harness.memory.writeU64(harness.scratch + 136, 0n);
      return harness.start("nanosleep", harness.scratch + 128, 0);
    };
    sleep(5);
    expect(kernel.schedule()).toMatchObject({ tid });
    sleep(2);
    expect(kernel.schedule()).toMatchObject({ tid, fuel: 3_000_000_000 });
    expect(kernel.now()).toBe(2_000_000_000n);
    kernel.chargeInstructions(1_000_000_000);
    expect(kernel.schedule()).toMatchObject({ tid, fuel: 2_000_000_000 });
  });

  test("a pipe wakes its reader, whose fuel then ends with the quantum", () => {
    const { harness, tid, kernel } = withThread();
    harness.call("pipe2", harness.scratch + 200, 0);
    const read = harness.memory.readU32(harness.scratch + 200)!;
    harness.start("read", read, harness.scratch + 300, 10);
    const alone = kernel.schedule();
    expect(alone).toMatchObject({ tid });
    expect((alone as { fuel: number }).fuel).toBeGreaterThan(2 ** 40);
    expect(harness.start("write", read + 1, harness.text("hi", 400), 2)).toBe("switch");
    const turn = kernel.schedule();
    expect((turn as { fuel: number }).fuel).toBeLessThanOrEqual(30_000);
    kernel.chargeInstructions((turn as { fuel: number }).fuel);
    while ((kernel.schedule() as { tid: number }).tid !== 1000) kernel.chargeInstructions(30_000);
    expect(harness.result).toBe(2);
    expect(harness.textAt(harness.scratch + 300, 2)).toBe("hi");
  });

  test("the instruction limit ends the run", () => {
    const harness = new Harness({ kernel: { limits: { threads: 4, memory: 2 ** 32, instructions: 1000 } } });
    expect(harness.kernel.schedule()).toMatchObject({ kind: "run", fuel: 1000 });
    harness.kernel.chargeInstructions(1000);
    expect(harness.kernel.schedule()).toMatchObject({ kind: "limit", limit: "instructions" });
  });
});

describe("restartable sequences", () => {
  test("a preempted thread goes on at the abort handler", () => {
    const { harness, tid, kernel } = withThread({ hooks: { chooseThread: () => 0 } });
    const [area, descriptor] = [harness.scratch + 0x1000, harness.scratch + 0x1040];
    expect(harness.call("rseq", area, 32, 0, 0x53053053)).toBe(0);
    harness.memory.writeU64(descriptor + 8, 0x40_0200n);
    harness.memory.writeU64(descriptor + 16, 0x10n);
    harness.memory.writeU64(descriptor + 24, 0x40_0300n);
    harness.memory.writeU64(area + 8, BigInt(descriptor));
    harness.start("sched_yield");
    kernel.cpu.rip = 0x40_0208n;
    expect(kernel.schedule()).toMatchObject({ tid });
    harness.start("sched_yield");
    expect(kernel.schedule()).toMatchObject({ tid: 1000 });
    expect(kernel.cpu.rip).toBe(0x40_0300n);
    expect(harness.memory.readU64(area + 8)).toBe(0n);
  });
});

describe("faults", () => {
  test("an unhandled one is an outcome with its address and site", () => {
    const { kernel } = new Harness();
    kernel.cpu.rip = 0x40_0123n;
    expect(kernel.raise({ kind: "access", address: 0x10n, write: true })).toEqual({
      kind: "signal",
      signal: 11,
      name: "SIGSEGV",
      tid: 1000,
      rip: 0x40_0123,
      site: "0x400123 (program+0x123)",
      address: 0x10n,
    });
  });

  test("one whose signal is blocked or ignored kills all the same", () => {
    const harness = new Harness();
    harness.memory.writeU64(harness.scratch, 1n << 10n);
    expect(harness.call("rt_sigprocmask", 0, harness.scratch, 0, 8)).toBe(0);
    expect(harness.kernel.raise({ kind: "divide" })).toMatchObject({ signal: 8, address: undefined });
    expect(new Harness().kernel.raise({ kind: "access", address: 2n ** 60n, write: false })).toMatchObject({
      signal: 11,
    });
  });

  test("a handler on a stack that cannot take the frame is a SIGSEGV", () => {
    const harness = new Harness();
    const action = harness.scratch;
    harness.memory.writeU64(action, 0x40_0200n);
    harness.memory.writeU64(action + 8, 0x0400_0000n);
    harness.memory.writeU64(action + 16, 0x40_0300n);
    expect(harness.call("rt_sigaction", 8, action, 0, 8)).toBe(0);
    harness.kernel.cpu.setGpr(gpr.rsp, 0x1000n);
    expect(harness.kernel.raise({ kind: "divide" })).toMatchObject({ kind: "signal", signal: 11 });
  });
});

test("a snapshot is plain data and brings everything back", () => {
  const { harness, kernel } = withThread();
  harness.call("rt_sigprocmask", 2, harness.text("\x01\0\0\0\0\0\0"), 0, 8);
  const memory = harness.memory.snapshot();
  const snapshot = kernel.snapshot();
  expect(structuredClone(snapshot)).toEqual(snapshot);
  const before = { now: kernel.now(), rsp: kernel.cpu.gpr(gpr.rsp), areas: kernel.areas };
  harness.call("mmap", 0, 0x1000, 3, 0x22, -1, 0);
  harness.start("exit", 0);
  kernel.schedule();
  kernel.chargeInstructions(5);
  harness.call("open", harness.text("/program"), 0, 0);
  harness.memory.restore(memory);
  kernel.restore(snapshot);
  expect({ now: kernel.now(), rsp: kernel.cpu.gpr(gpr.rsp), areas: kernel.areas }).toEqual(before);
  expect(kernel.snapshot()).toEqual(snapshot);
  expect(kernel.currentThread).toBe(1000);
  expect(harness.call("fcntl", 3, 1, 0)).toBe(-errno.EBADF);
});
