/** Which CPUID features the instructions of each level need, by the decoder's names (System V ABI x86-64, table 3.1). */
import iced from "iced-x86";
import type { CpuLevel, Instruction } from "./instruction.ts";

const { CpuidFeature, Instruction: Decoded } = iced;

/** The names that this machine's v2 has: the level's own, and CLFLUSHOPT, CLWB, FSGSBASE, RDTSCP and what is a hint elsewhere. */
const v2 = [
  "INTEL8086", "INTEL186", "INTEL286", "INTEL386", "INTEL486", "X64", "CMOV", "CX8", "CMPXCHG16B", "POPCNT", "FXSR",
  "CLFSH", "CLFLUSHOPT", "CLWB", "FSGSBASE", "MULTIBYTENOP", "PAUSE", "PREFETCHW", "D3NOW", "CET_IBT", "CET_SS",
  "SSE", "SSE2", "SSE3", "SSSE3", "SSE4_1", "SSE4_2", "MMX", "FPU", "FPU287", "FPU387", "FPU387SL_ONLY", "TSC", "MSR", "RDTSCP",
  "CPUID", "SYSCALL", "RDPMC", "SMM",
] as const; // biome-ignore format: groups
const v3 = [
  "AVX", "AVX2", "FMA", "F16C", "BMI1", "BMI2", "LZCNT", "MOVBE", "XSAVE", "XSAVEOPT", "XSAVEC",
] as const; // biome-ignore format: one line

export const levelFeatures: Readonly<Record<CpuLevel, ReadonlySet<string>>> = {
  v2: new Set<string>(v2),
  v3: new Set<string>([...v2, ...v3]),
};

/** What the processor must have for an instruction of this form. */
export function featuresOf(code: number): readonly string[] {
  const decoded = new Decoded();
  decoded.code = code;
  const names = [...decoded.cpuidFeatures()].map((feature) => CpuidFeature[feature] as unknown as string);
  decoded.free();
  return names;
}

/** The features of an instruction that a processor of this level lacks. */
export const missingFeatures = ({ code, mnemonic }: Instruction, level: CpuLevel): readonly string[] =>
  mnemonic === "invalid" ? [] : featuresOf(code).filter((name) => !levelFeatures[level].has(name));
