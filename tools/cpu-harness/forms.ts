/**
 * Every form of every supported instruction, from the decoder's own opcode table. What cannot be compared with the real
 * processor is listed with the reason; nothing else is left out.
 */
import iced from "iced-x86";
import { semanticsOf } from "../../src/isa/lift/index.ts";
import { type CpuLevel, featuresOf, levelFeatures, type OpcodeEncoding } from "../../src/isa/x86/index.ts";

const { Code, CodeExt, EncodingKind, Mnemonic } = iced;

export interface Form {
  readonly code: number;
  /** The decoder's name of the row: `Add_rm32_r32`. */
  readonly name: string;
  readonly mnemonic: string;
  readonly encoding: OpcodeEncoding;
  readonly opcode: InstanceType<typeof iced.OpCodeInfo>;
  /** Uses vector, MMX or x87 state. */
  readonly float: boolean;
}

const notCompared: Readonly<Record<string, string>> = {
  cpuid: "describes the processor itself",
  rdtsc: "tells the time",
  rdtscp: "tells the time",
  syscall: "calls the kernel",
  xgetbv: "processors have other state components",
  xsave: "processors have other state components",
  xsave64: "processors have other state components",
  xsaveopt: "processors have other state components",
  xsaveopt64: "processors have other state components",
  xsavec: "processors have other state components",
  xsavec64: "processors have other state components",
  xrstor: "processors have other state components",
  xrstor64: "processors have other state components",
  int: "calls the kernel",
};

/** What an older processor takes for another instruction. */
const notComparedBefore: Readonly<Record<CpuLevel, Readonly<Record<string, string>>>> = {
  v2: { tzcnt: "counts zeros only with BMI; here it is BSF", lzcnt: "counts zeros only with ABM; here it is BSR" },
  v3: {},
};

const notComparedForms: readonly { readonly pattern: RegExp; readonly why: string }[] = [
  { pattern: /^Mov_Sreg|^Popw?q?_[FG]S/, why: "would change the runner's own segments" },
  { pattern: /^Ud[01]/, why: "processors disagree about its length" },
  { pattern: /^Reservednop.*0F1[AB]/, why: "is an MPX instruction on processors that have it" },
  { pattern: /^Reservednop.*0F0D/, why: "is undefined on some processors" },
  { pattern: /^Movsxd_r16_rm16/, why: "processors disagree about how much it reads" },
  { pattern: /^(Jmp|Call)_m16/, why: "would change the runner's own segments" },
  {
    pattern: /^(Retf|Iret|L[sfg]s_)/,
    why: "takes a selector that may happen to be one, where the machine always faults",
  },
  { pattern: /^Call_rel16|^Jmp_rel16|^Retnw|^J\w+_rel(8|32)_16|^(Call|Jmp)_rm16|_rel8_16/, why: "processors disagree" },
];

const names = Object.entries(Code)
  .filter((entry): entry is [string, number] => typeof entry[1] === "number" && entry[0] !== "INVALID")
  .filter(([name]) => !name.startsWith("EVEX_") && !name.startsWith("XOP_"));

const floatFeature = /^(SSE|SSSE|MMX|FPU|FXSR|AVX|FMA|F16C)/;

/** Instructions of these features that the machine does not have, with the reason. They are #UD there. */
export const refused: readonly { readonly mnemonics: RegExp; readonly why: string }[] = [
  { mnemonics: /^(sldt|str|smsw|sgdt|sidt|lar|lsl|verr|verw)$/, why: "shows the kernel's descriptor tables" },
  { mnemonics: /^(rstorssp|setssbsy|saveprevssp|incssp[dq]|clrssbsy|wru?ss[dq])$/, why: "there are no shadow stacks" },
  { mnemonics: /^(sysret|rsm|int1)$/, why: "is for the kernel and for debuggers" },
  { mnemonics: /^femms$/, why: "3DNow! is not reported; only its prefetches are harmless" },
];

/** All encodings in 64-bit mode that this machine lifts. */
export const supportedForms = (level: CpuLevel): readonly Form[] =>
  allForms(level).filter((form) => semanticsOf(form, level));

const encodings: Readonly<Record<number, OpcodeEncoding>> = {
  [EncodingKind.Legacy]: "legacy",
  [EncodingKind.VEX]: "vex",
};

/** All encodings in 64-bit mode that a processor of the level has. */
export function allForms(level: CpuLevel): readonly Form[] {
  const features = levelFeatures[level];
  const forms: Form[] = [];
  for (const [name, code] of names) {
    const opcode = CodeExt.opCode(code);
    const encoding = encodings[opcode.encoding];
    if (encoding === undefined || !opcode.mode64 || !opcode.isInstruction || !opcode.intelDecoder64 || opcode.fwait)
      continue;
    const mnemonic = (Mnemonic[opcode.mnemonic] as unknown as string).toLowerCase();
    const needed = featuresOf(code);
    if (!needed.every((feature) => features.has(feature))) continue;
    const float = needed.some((feature) => floatFeature.test(feature));
    forms.push({ code, name: name.replace(/^VEX_/, ""), mnemonic, encoding, opcode, float });
  }
  return forms;
}

/**
 * POPF may begin single-stepping; a 16-bit double shift by a computed count may be undefined; what the x87 remembers of
 * the instruction before differs between processors; what is only approximate, or a NaN that processors choose differently
 * (processors.ts), must not be computed with.
 */
const aloneOnly =
  /^Popf|^Sh[lr]d_rm16_r16_CL|^Fn?x?(save|stenv)|^(Rcp|Rsqrt|Dp|Vrcp|Vrsqrt|Vdp)[sp]s|^(F2xm1|Fyl2x(p1)?|Fptan|Fpatan|Fsin|Fcos|Fsincos)$/;

/** Forms that may stand in longer blocks. */
export const canPrecede = (form: Form): boolean => !aloneOnly.test(form.name);

/** Why a form is not compared with the processor, if it is not. */
export const whyNotCompared = (form: Form, level: CpuLevel): string | undefined =>
  notCompared[form.mnemonic] ??
  notComparedBefore[level][form.mnemonic] ??
  notComparedForms.find(({ pattern }) => pattern.test(form.name))?.why;
