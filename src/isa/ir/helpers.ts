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
  /**
   * One x87 instruction: the decoder's code number, two arguments (isa/x87/index.ts), the instruction's own address and its
   * memory operand's (-1: none). 0: done; 1: done but for the memory operand, which an unmasked exception leaves as it
   * was.
   */
  x87: row(["i32", "i64", "i64", "i64", "i64"], "i32"),
  /** The result of the last one, eight bytes at a time. */
  x87_result: row(["i32"], "i64"),
  /** Eight bytes of an environment or state image, which the next `x87` takes as its only argument. */
  x87_stage: row(["i32", "i64"], "i32"),
  /** Prepares the result that the instruction of this code number would store, and changes nothing. */
  x87_peek: row(["i32"], "i32"),
  /** An SSE operation with flags and exceptions: index of the macro, control byte; operands in `cell.float*`. */
  sse: row(["i32", "i32"], "i32"),
  /** MXCSR lives in memory only, because macros and helpers look at it there. */
  mxcsr_read: row([], "i32"),
  /** MMX registers are the x87's significands. */
  mmx_read: row(["i32"], "i64"),
  /** Writes a register; exponent all ones, TOP zero, every tag valid. */
  mmx_write: row(["i32", "i64"], "i32"),
  /** TOP zero and every tag valid, after MMX instructions that write no MMX register. */
  mmx_enter: row([], "i32"),
  /** TOP zero and every tag empty (EMMS). */
  mmx_leave: row([], "i32"),
} as const satisfies Record<string, Helper>;

export type HelperName = keyof typeof helpers;
