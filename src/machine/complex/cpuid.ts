/**
 * The processor that this machine is: x86-64-v2 or x86-64-v3, with CLFLUSHOPT, CLWB, FSGSBASE and RDTSCP, and nothing above,
 * so that programs choose code we have. No ERMS, no RTM. SDM vol. 2: CPUID; leaves are (EAX, EBX, ECX, EDX).
 */
import type { CpuLevel } from "../../isa/x86/index.ts";
import { XCR0, xsaveArea } from "../process/index.ts";
import { type StopCode, stop } from "../runtime/index.ts";
import type { ComplexContext } from "./context.ts";

type Leaf = readonly [number, number, number, number];

const bits = (...positions: number[]): number => positions.reduce((sum, position) => sum + 2 ** position, 0);

/** "GenuineIntel" in EBX, EDX, ECX. */
const vendor = { ebx: 0x756e_6547, edx: 0x4965_6e69, ecx: 0x6c65_746e } as const;
/** Family 6: Westmere (model 0x2c) and Haswell (0x3c). glibc picks its fast string functions by it. */
const signature: Readonly<Record<CpuLevel, number>> = { v2: 0x0002_06c2, v3: 0x0003_06c3 };
/** The highest leaf: 13 is XSAVE's. */
const highest: Readonly<Record<CpuLevel, number>> = { v2: 7, v3: 13 };
/** CLFLUSH works on 8 × 8 bytes; one logical processor. */
const lineAndCount = 0x0001_0800;

const features = {
  edx: bits(0, 4, 5, 6, 8, 11, 13, 15, 19, 23, 24, 25, 26),
  //        FPU TSC MSR PAE CX8 SEP PGE CMOV CLFSH MMX FXSR SSE SSE2
  ecx: bits(0, 9, 13, 19, 20, 23, 31),
  //        SSE3 SSSE3 CX16 SSE4.1 SSE4.2 POPCNT hypervisor
  /** FSGSBASE, CLFLUSHOPT, CLWB. */
  structured: bits(0, 23, 24),
  /** LAHF in 64-bit mode. */
  extendedEcx: bits(0),
} as const; // biome-ignore format: names below numbers
/** What v3 has beyond: FMA, MOVBE, XSAVE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT. */
const added: Readonly<Record<CpuLevel, { ecx: number; structured: number; extendedEcx: number }>> = {
  v2: { ecx: 0, structured: 0, extendedEcx: 0 },
  v3: { ecx: bits(12, 22, 26, 27, 28, 29), structured: bits(3, 5, 8), extendedEcx: bits(5) },
};
/** SYSCALL, NX, RDTSCP, long mode. */
const extendedEdx = bits(11, 20, 27, 29);

/** Leaf 4: type (1 data, 2 code, 3 both), level, line 64, ways, sets. */
const cache = (type: number, level: number, ways: number, sets: number): Leaf => [
  type | (level << 5) | (1 << 8),
  63 | ((ways - 1) << 22),
  sets - 1,
  0,
];
const caches: readonly Leaf[] = [
  cache(1, 1, 8, 64), // 32 KiB
  cache(2, 1, 8, 64), // 32 KiB
  cache(3, 2, 8, 512), // 256 KiB
  cache(3, 3, 16, 8192), // 8 MiB
];
const nothing: Leaf = [0, 0, 0, 0];

const text = (level: CpuLevel): string => `Blackout virtual x86-64-${level} processor`;
/** Leaves 0x80000002 … 4: sixteen bytes of the name each. */
function brand(part: number, level: CpuLevel): Leaf {
  const bytes = Array.from({ length: 16 }, (_, i) => text(level).charCodeAt(16 * part + i) || 0);
  const word = (at: number) =>
    (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
  return [word(0), word(4), word(8), word(12)];
}

/** Leaf 13: XCR0's components and the area's size; XSAVEOPT, XSAVEC and XGETBV of register 1; the upper halves' place. */
const stateLeaves: readonly Leaf[] = [
  [XCR0, xsaveArea.bytes, xsaveArea.bytes, 0],
  [bits(0, 1, 2), xsaveArea.bytes, 0, 0],
  [xsaveArea.bytes - xsaveArea.uppers, xsaveArea.uppers, 0, 0],
];

const leaves: Readonly<Record<number, (subleaf: number, level: CpuLevel) => Leaf>> = {
  0: (_, level) => [highest[level], vendor.ebx, vendor.ecx, vendor.edx],
  1: (_, level) => [signature[level], lineAndCount, (features.ecx | added[level].ecx) >>> 0, features.edx],
  /** "See leaf 4" for caches. */
  2: () => [0x00ff_ff01, 0, 0, 0],
  4: (subleaf) => caches[subleaf] ?? nothing,
  7: (subleaf, level) => (subleaf === 0 ? [0, features.structured | added[level].structured, 0, 0] : nothing),
  13: (subleaf, level) => (level === "v3" ? (stateLeaves[subleaf] ?? nothing) : nothing),
  2147483648: () => [0x8000_0008, 0, 0, 0],
  2147483649: (_, level) => [0, 0, features.extendedEcx | added[level].extendedEcx, extendedEdx],
  2147483650: (_, level) => brand(0, level),
  2147483651: (_, level) => brand(1, level),
  2147483652: (_, level) => brand(2, level),
  /** L2: 64-byte lines, 8 ways, 256 KiB. */
  2147483654: () => [0, 0, 0x0100_6040, 0],
  /** Invariant TSC. */
  2147483655: () => [0, 0, 0, bits(8)],
  /** 48 bits of address, physical and virtual. */
  2147483656: () => [0x3030, 0, 0, 0],
};

export const cpuidLeaf = (leaf: number, subleaf: number, level: CpuLevel): Leaf =>
  leaves[leaf]?.(subleaf, level) ?? nothing;

export function cpuid(machine: ComplexContext): StopCode {
  const low = (index: number) => Number(machine.readGpr(index) & 0xffff_ffffn);
  const [eax, ebx, ecx, edx] = cpuidLeaf(low(0), low(1), machine.level);
  for (const [index, value] of [eax, ecx, edx, ebx].entries()) machine.writeGpr(index, BigInt(value));
  return stop.none;
}
