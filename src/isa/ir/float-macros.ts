/**
 * SSE floating point: exact x86 results, NaN bits included, under any MXCSR. Always:
 * - Scalars travel as f32 and f64; WebAssembly moves them without changing a bit.
 * - While MXCSR's control bits have their default, nothing but the arguments is looked at.
 * - Other control bits send every macro to the helper `sse`, which accumulates status flags and may ask for a trap.
 */
import type { ValueType } from "../wasm/index.ts";
import type { Macro } from "./macros.ts";

const row = (params: readonly ValueType[], result: ValueType): Macro => ({ params, result });

// biome-ignore format: columns stay aligned
export const floatMacros = {
  "x86.f32.add":               row(["f32", "f32"], "f32"),
  "x86.f32.sub":               row(["f32", "f32"], "f32"),
  "x86.f32.mul":               row(["f32", "f32"], "f32"),
  "x86.f32.div":               row(["f32", "f32"], "f32"),
  "x86.f32.min":               row(["f32", "f32"], "f32"),
  "x86.f32.max":               row(["f32", "f32"], "f32"),
  "x86.f32.sqrt":              row(["f32"], "f32"),
  "x86.f64.add":               row(["f64", "f64"], "f64"),
  "x86.f64.sub":               row(["f64", "f64"], "f64"),
  "x86.f64.mul":               row(["f64", "f64"], "f64"),
  "x86.f64.div":               row(["f64", "f64"], "f64"),
  "x86.f64.min":               row(["f64", "f64"], "f64"),
  "x86.f64.max":               row(["f64", "f64"], "f64"),
  "x86.f64.sqrt":              row(["f64"], "f64"),
  "x86.f32x4.add":             row(["v128", "v128"], "v128"),
  "x86.f32x4.sub":             row(["v128", "v128"], "v128"),
  "x86.f32x4.mul":             row(["v128", "v128"], "v128"),
  "x86.f32x4.div":             row(["v128", "v128"], "v128"),
  "x86.f32x4.min":             row(["v128", "v128"], "v128"),
  "x86.f32x4.max":             row(["v128", "v128"], "v128"),
  "x86.f32x4.sqrt":            row(["v128"], "v128"),
  "x86.f64x2.add":             row(["v128", "v128"], "v128"),
  "x86.f64x2.sub":             row(["v128", "v128"], "v128"),
  "x86.f64x2.mul":             row(["v128", "v128"], "v128"),
  "x86.f64x2.div":             row(["v128", "v128"], "v128"),
  "x86.f64x2.min":             row(["v128", "v128"], "v128"),
  "x86.f64x2.max":             row(["v128", "v128"], "v128"),
  "x86.f64x2.sqrt":            row(["v128"], "v128"),
  /** Operand and control byte as ROUNDPS takes it: bits 0-1 mode, bit 2 MXCSR's mode, bit 3 no inexact. */
  "x86.f32.round":             row(["f32", "i32"], "f32"),
  "x86.f64.round":             row(["f64", "i32"], "f64"),
  "x86.f32x4.round":           row(["v128", "i32"], "v128"),
  "x86.f64x2.round":           row(["v128", "i32"], "v128"),
  /** The first times the second plus the third, rounded once. */
  "x86.f32.fused":             row(["f32", "f32", "f32"], "f32"),
  "x86.f64.fused":             row(["f64", "f64", "f64"], "f64"),
  "x86.f32x4.fused":           row(["v128", "v128", "v128"], "v128"),
  "x86.f64x2.fused":           row(["v128", "v128", "v128"], "v128"),
  /** Four halves in the lowest 64 bits, from and to. The control byte is ROUNDPS's. */
  "x86.f32x4.from_f16x4":      row(["v128"], "v128"),
  "x86.f32x4.to_f16x4":        row(["v128", "i32"], "v128"),
  /** Subtracts in even lanes, adds in odd ones. */
  "x86.f32x4.addsub":          row(["v128", "v128"], "v128"),
  "x86.f64x2.addsub":          row(["v128", "v128"], "v128"),
  /** Operands and predicate (0-31, as VCMPPS): i32 0 or 1, or a mask of lanes. */
  "x86.f32.compare":           row(["f32", "f32", "i32"], "i32"),
  "x86.f64.compare":           row(["f64", "f64", "i32"], "i32"),
  "x86.f32x4.compare":         row(["v128", "v128", "i32"], "v128"),
  "x86.f64x2.compare":         row(["v128", "v128", "i32"], "v128"),
  /** ZF PF CF of COMIS (control 1) and UCOMIS (0), in their EFLAGS positions. */
  "x86.f32.order":             row(["f32", "f32", "i32"], "i32"),
  "x86.f64.order":             row(["f64", "f64", "i32"], "i32"),
  /** Conversions. `to` rounds by MXCSR, `trunc` toward zero; what does not fit is the integer indefinite. */
  "x86.f64.from_f32":          row(["f32"], "f64"),
  "x86.f32.from_f64":          row(["f64"], "f32"),
  "x86.f32.from_i32":          row(["i32"], "f32"),
  "x86.f32.from_i64":          row(["i64"], "f32"),
  "x86.f64.from_i64":          row(["i64"], "f64"),
  "x86.f32.to_i32":            row(["f32"], "i32"),
  "x86.f32.to_i64":            row(["f32"], "i64"),
  "x86.f64.to_i32":            row(["f64"], "i32"),
  "x86.f64.to_i64":            row(["f64"], "i64"),
  "x86.f32.trunc_i32":         row(["f32"], "i32"),
  "x86.f32.trunc_i64":         row(["f32"], "i64"),
  "x86.f64.trunc_i32":         row(["f64"], "i32"),
  "x86.f64.trunc_i64":         row(["f64"], "i64"),
  "x86.f64x2.from_f32x4":      row(["v128"], "v128"),
  "x86.f32x4.from_f64x2":      row(["v128"], "v128"),
  "x86.f32x4.from_i32x4":      row(["v128"], "v128"),
  "x86.f32x4.to_i32x4":        row(["v128"], "v128"),
  "x86.f32x4.trunc_i32x4":     row(["v128"], "v128"),
  "x86.f64x2.to_i32x4":        row(["v128"], "v128"),
  "x86.f64x2.trunc_i32x4":     row(["v128"], "v128"),
} as const satisfies Record<string, Macro>;

export type FloatMacroName = keyof typeof floatMacros;
/** The helper `sse` knows a macro by its position here. */
export const floatMacroNames = Object.keys(floatMacros) as readonly FloatMacroName[];
