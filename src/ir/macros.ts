/**
 * Pure operations that WebAssembly lacks: x86 semantics a few instructions long. The rows here give their types; the
 * bodies are WebAssembly functions of the runtime module (runtime/macros/), called by interpreter and JIT alike.
 */
import type { ValueType } from "../wasm/index.ts";

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
} as const satisfies Record<string, Macro>;

export type MacroName = keyof typeof macros;
