/**
 * Fences, flushes, hints, segment bases, what the machine makes itself, and what a user program may not do.
 * SDM vol. 2 of each; hints that this processor does not know are no-operations by their encoding.
 */
import { control, type FenceOp, type FlushOp, type Register } from "../../ir/index.ts";
import type { Lift } from "../builder.ts";
import { protection, trap } from "./traps.ts";

const nothing: Lift = () => undefined;

const hints = [
  "nop", "endbr64", "endbr32", "pause", "cldemote", "rdsspd", "rdsspq", "reservednop",
  "prefetchnta", "prefetcht0", "prefetcht1", "prefetcht2", "prefetchw", "prefetch", "prefetchwt1", "prefetchit0",
  "prefetchit1",
] as const; // biome-ignore format: groups

const privileged = [
  "hlt", "in", "out", "insb", "insw", "insd", "outsb", "outsw", "outsd", "cli", "sti", "clts", "invd", "wbinvd", "wbnoinvd",
  // Loads of a segment register, and what loads CS by the way: user selectors are not told from others here.
  "lfs", "lgs", "lss", "iret", "iretd", "iretq", "retf", "sysexit", "sysexitq",
  "invlpg", "lgdt", "lidt", "lldt", "ltr", "lmsw", "rdmsr", "wrmsr", "rdpmc", "sysretd", "sysretq", "swapgs", "xsetbv",
] as const; // biome-ignore format: groups

/** Done by the machine on the state in memory (machine/complex). */
const machineMade = [
  "cpuid", "rdtsc", "rdtscp", "xgetbv", "enter", "fxsave", "fxsave64", "fxrstor", "fxrstor64",
  // Compiled code relies on MXCSR's control bits from here to the next instruction like this (machine/jit/floats.ts).
  "ldmxcsr",
] as const; // biome-ignore format: groups

const complex: Lift = (b, { mnemonic, address, next }) => {
  b.exit = { kind: "complex", name: mnemonic, address, next };
};

const flush =
  (op: FlushOp): Lift =>
  (b, { operands: [line] }) => {
    if (line?.kind === "mem") b.flush(op, b.address(line));
  };

const fence =
  (op: FenceOp): Lift =>
  (b) =>
    b.fence(op);

const readBase =
  (register: Register): Lift =>
  (b, { operands: [dst] }) =>
    b.write(dst!, b.extend(b.get(register), 64, b.width(dst!), false));

/** #GP for an address that no 48-bit page table can name. */
const writeBase =
  (register: Register): Lift =>
  (b, { operands: [src] }) => {
    const value = b.extend(b.read(src!), b.width(src!), 64, false);
    const canonical = b.op("i64.shr_s", b.op("i64.shl", value, b.i64(16)), b.i64(16));
    b.trapIf(b.op("i64.ne", value, canonical), "protection");
    b.put(register, value);
  };

export const systemSemantics = {
  ...Object.fromEntries(hints.map((name) => [name, nothing])),
  ...Object.fromEntries(machineMade.map((name) => [name, complex])),
  ...Object.fromEntries(privileged.map((name) => [name, protection(name)])),
  int: protection("a software interrupt"),
  int3: trap("breakpoint", "int3"),
  ud0: trap("undefined", "ud0"),
  ud1: trap("undefined", "ud1"),
  ud2: trap("undefined", "ud2"),
  clflush: flush("clflush"),
  clflushopt: flush("clflushopt"),
  clwb: flush("clwb"),
  sfence: fence("sfence"),
  mfence: fence("mfence"),
  lfence: fence("lfence"),
  rdfsbase: readBase(control.fsBase),
  rdgsbase: readBase(control.gsBase),
  wrfsbase: writeBase(control.fsBase),
  wrgsbase: writeBase(control.gsBase),
} satisfies Record<string, Lift>;
