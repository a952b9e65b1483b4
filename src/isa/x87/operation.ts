/** The shape of a row in the table of x87 operations, and the two ways an instruction treats a waiting exception. */
import { isPending, PENDING } from "./faults.ts";
import type { X87State } from "./state.ts";

/** Arguments and results: see index.ts. */
export type Run = (unit: X87State, args: readonly bigint[]) => bigint;

export interface X87Operation {
  readonly run: Run;
  /** Reports a pending unmasked exception instead of running. */
  readonly waits: boolean;
  /** Becomes the "last instruction" of the instruction, data and opcode pointers: all but control instructions do. */
  readonly recorded: boolean;
}

const waiting =
  (run: Run): Run =>
  (unit, args) =>
    isPending(unit) ? PENDING : run(unit, args);

/** An ordinary instruction. */
export const operation = (run: Run): X87Operation => ({ run: waiting(run), waits: true, recorded: true });
/** A control instruction that first reports a waiting exception. */
export const waitingControl = (run: Run): X87Operation => ({ run: waiting(run), waits: true, recorded: false });
/** A control instruction that ignores a waiting exception. */
export const control = (run: Run): X87Operation => ({ run, waits: false, recorded: false });

export type Table = Record<string, X87Operation>;

export const argument = (args: readonly bigint[], index: number): bigint => args[index] ?? 0n;
/** The i of an ST(i) operand. */
export const registerIndex = (args: readonly bigint[]): number => Number(argument(args, 0));
