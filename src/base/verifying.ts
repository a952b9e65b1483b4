/**
 * Whether this process checks its own work beyond what users pay for: every lifted block is verified (isa/ir/verify.ts), and every
 * crash state that is laid out (crash/states/legal-states.ts). Tests, the CPU harness and `make guests` do; commands do when BLACKOUT_VERIFY is "on", and
 * all but the blocks when it is "results": hundreds of commands that tests start lift the same libraries as the tests themselves.
 */
const wanted = { results: false, blocks: false };

export function verifyOwnWork(what: "everything" | "results" = "everything"): void {
  wanted.results = true;
  wanted.blocks = what === "everything";
}
export const verifiesOwnWork = (): boolean => wanted.results;
export const verifiesBlocks = (): boolean => wanted.blocks;
