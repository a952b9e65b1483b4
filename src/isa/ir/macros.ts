/**
 * Pure operations that WebAssembly lacks: x86 semantics a few instructions long. The rows here give their types; the
 * bodies are WebAssembly functions of the runtime module (machine/runtime/macros/), called by interpreter and JIT alike.
 */
import type { ValueType } from "../wasm/index.ts";
import { floatMacros } from "./float-macros.ts";

export interface Macro {
  readonly params: readonly ValueType[];
  readonly result: ValueType;
}

const row = (params: readonly ValueType[], result: ValueType): Macro => ({ params, result });

// biome-ignore format: columns stay aligned
export const macros = {
  /** High halves of 64×64-bit products. */
  "x86.mul_high_u":      row(["i64", "i64"], "i64"),
  "x86.mul_high_s":      row(["i64", "i64"], "i64"),
  /** 128/64-bit division: low, high, divisor → quotient or remainder; only where a trap op has excluded #DE. */
  "x86.div128_u":        row(["i64", "i64", "i64"], "i64"),
  "x86.rem128_u":        row(["i64", "i64", "i64"], "i64"),
  "x86.div128_s":        row(["i64", "i64", "i64"], "i64"),
  "x86.rem128_s":        row(["i64", "i64", "i64"], "i64"),
  /** 1 when a signed 128/64-bit quotient does not fit 64 bits (low, high, divisor ≠ 0). */
  "x86.div128_s_overflows": row(["i64", "i64", "i64"], "i32"),
  /** PEXT and PDEP: the bits of the first where the second has ones, gathered; its lowest bits, spread there. */
  "x86.extract_bits":    row(["i64", "i64"], "i64"),
  "x86.deposit_bits":    row(["i64", "i64"], "i64"),
  /** Reciprocal and reciprocal square root, never affected by MXCSR: within 1.5 × 2^-12 of the exact value. */
  "x86.f32.reciprocal":        row(["f32"], "f32"),
  "x86.f32.reciprocal_sqrt":   row(["f32"], "f32"),
  "x86.f32x4.reciprocal":      row(["v128"], "v128"),
  "x86.f32x4.reciprocal_sqrt": row(["v128"], "v128"),
  /**
   * 1 when the floating-point macros before it met an unmasked exception; asking takes it back. The argument is what
   * they computed: it is not looked at, it only makes the order certain.
   */
  "x86.float_trap":            row(["v128"], "i32"),
  "x86.float_trap_i32":        row(["i32"], "i32"),
  /** The second argument, an operand: macros on it are about another lane than those that made the first argument. */
  "x86.float_lane":            row(["v128", "v128"], "v128"),
  /** 1 when an unmasked x87 exception waits to be reported (#MF). */
  "x86.x87_pending":          row([], "i32"),
  /** SSE4.2 strings. Elements before the first zero, 16 or 8 if none; the control byte's bit 0 tells bytes from words. */
  "x86.string.length":         row(["v128", "i32"], "i32"),
  /** IntRes2: first string, second string, their lengths, control byte. */
  "x86.string.compare":        row(["v128", "v128", "i32", "i32", "i32"], "i32"),
  ...floatMacros,
} as const satisfies Record<string, Macro>;

export type MacroName = keyof typeof macros;
