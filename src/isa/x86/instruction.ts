/**
 * One decoded instruction as plain data: what the lifter needs and nothing of the decoder behind it.
 * Register numbers are x86's own (0 = rax, 4 = rsp …). Sizes are in bytes.
 */
export type Operand =
  | {
      readonly kind: "gpr";
      readonly index: number;
      readonly size: 1 | 2 | 4 | 8 /** ah ch dh bh */;
      readonly high: boolean;
    }
  | { readonly kind: "xmm" | "ymm" | "mm" | "st"; readonly index: number }
  | { readonly kind: "segment"; readonly name: string }
  | Memory
  /** `value` is sign-extended by the encoding to `size` bytes. */
  | { readonly kind: "imm"; readonly value: bigint; readonly size: 1 | 2 | 4 | 8 }
  /** A near branch target. */
  | { readonly kind: "target"; readonly address: number }
  /** Anything this machine has no use for: control and debug registers, far pointers, AVX-512 registers. */
  | { readonly kind: "other" };

export interface Memory {
  readonly kind: "mem";
  readonly base: number | undefined;
  readonly index: number | undefined;
  /** The index is a vector register: a gather reads from an address for each of its elements. */
  readonly vectorIndex?: "xmm" | "ymm";
  readonly scale: 1 | 2 | 4 | 8;
  /** RIP-relative operands are resolved: no base, the absolute address here. */
  readonly displacement: bigint;
  readonly segment: "fs" | "gs" | undefined;
  /** Bytes accessed as the encoding says; 0 where there is no access (lea) or the size is not a number (fxsave). */
  readonly size: number;
  /** 4 with an address-size prefix: the sum is cut to 32 bits. */
  readonly addressSize: 4 | 8;
}

/** How the opcode is written down: as before AVX, with a VEX prefix, or with one that came later (EVEX) or nowhere (XOP). */
export type OpcodeEncoding = "legacy" | "vex" | "other";

/** The processor that the machine is: a level of the x86-64 psABI (System V ABI, section 3.1.1). */
export type CpuLevel = "v2" | "v3";
/** What programs are compiled for today, and what libraries choose their paths by. */
export const usualLevel: CpuLevel = "v3";

export interface Instruction {
  readonly address: number;
  readonly length: number;
  /** Lower case, as the manual names it: `add`, `movdqa`, `cmovb`. An undecodable instruction is `invalid`. */
  readonly mnemonic: string;
  /** The exact form, for example `Add_rm64_r64`: the row of the opcode table. */
  readonly code: number;
  readonly encoding: OpcodeEncoding;
  readonly operands: readonly Operand[];
  readonly lock: boolean;
  /** F3 (rep, repe) and F2 (repne) before a string instruction. */
  readonly repeat: "none" | "rep" | "repne";
  readonly next: number;
  /** Jumps, calls, returns, traps: what follows it in memory may not be what follows it in time. */
  readonly diverts: boolean;
}
