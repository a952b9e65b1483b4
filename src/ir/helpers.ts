/**
 * Helpers: pure or x87-state functions too rare or too large for WebAssembly, written in TypeScript. Arguments and
 * results are i32 (number) and i64 (bigint) only, because vectors cannot cross into JavaScript: pass them as halves.
 */
export interface Helper {
  readonly params: readonly ("i32" | "i64")[];
  readonly result: "i32" | "i64";
}

const row = (params: readonly ("i32" | "i64")[], result: "i32" | "i64"): Helper => ({ params, result });

// biome-ignore format: columns stay aligned
export const helpers = {
  /** One x87 operation by its index in the x87 table, with up to two operands. */
  x87: row(["i32", "i64", "i64"], "i64"),
  /** An SSE operation under unusual MXCSR control bits: index of the macro, control byte; operands in `cell.float*`. */
  sse: row(["i32", "i32"], "i32"),
  /** MXCSR lives in memory only, because macros and helpers look at it there. */
  mxcsr_read: row([], "i32"),
  mxcsr_write: row(["i32"], "i32"),
  /** MMX registers are the x87's significands. Before anything else: i32 1 when an x87 exception waits (#MF). */
  mmx_begin: row([], "i32"),
  mmx_read: row(["i32"], "i64"),
  /** Writes a register; exponent all ones, TOP zero, every tag valid. */
  mmx_write: row(["i32", "i64"], "i32"),
  /** TOP zero and every tag valid, after MMX instructions that write no MMX register. */
  mmx_enter: row([], "i32"),
  /** Every tag empty (EMMS). */
  mmx_leave: row([], "i32"),
} as const satisfies Record<string, Helper>;

export type HelperName = keyof typeof helpers;
