/** What can run a block and be compared with the real processor. */
import type { TestBlock } from "./blocks.ts";
import type { Outcome } from "./outcome.ts";
import type { Case } from "./records.ts";

export interface Executor {
  readonly name: string;
  /** The data pages (places.ts), writable for whoever prepares a case. */
  readonly data: Uint8Array;
  /** Puts the block's code into its place. */
  load(block: TestBlock): void;
  /** Runs the loaded block from the input's general registers and fills those of `output`, flags and rip (records.ts). */
  run(input: Case, output: Case): Outcome;
  /** The FXSAVE image, from an input and into an output. */
  loadFloat(input: Case): void;
  saveFloat(output: Case): void;
}
