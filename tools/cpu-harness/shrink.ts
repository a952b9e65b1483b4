/** Makes a mismatch of several instructions smaller: leaves instructions out while it still differs. */
import { blockOf, placeInstruction, type TestInstruction } from "./blocks.ts";
import { type Mismatch, runGroups } from "./campaign.ts";
import type { Executor } from "./executor.ts";

function without(instructions: readonly TestInstruction[], position: number): TestInstruction[] {
  let next = instructions[0]!.address;
  return instructions
    .filter((_, i) => i !== position)
    .map(({ form, bytes }) => {
      const placed = placeInstruction(form, bytes, next);
      next += bytes.length;
      return placed;
    });
}

/** RIP-relative operands move with their instruction, so a shorter block may differ for another reason: still a mismatch. */
export function shrink(mismatch: Mismatch, executors: readonly Executor[]): Mismatch {
  let smallest = mismatch;
  const executor = executors.filter(({ name }) => name === mismatch.executor);
  for (let position = 0; position < smallest.block.instructions.length && smallest.block.instructions.length > 1; ) {
    const block = blockOf(without(smallest.block.instructions, position));
    const [found] = runGroups([{ block, inputs: smallest.input }], executor, 1);
    if (found) smallest = found;
    else position++;
  }
  return smallest;
}
