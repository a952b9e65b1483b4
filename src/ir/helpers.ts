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
} as const satisfies Record<string, Helper>;

export type HelperName = keyof typeof helpers;
