/** Draws blocks and inputs, runs them on the processor and on every executor, and collects what differs. */
import type { RandomState } from "../../src/base/index.ts";
import type { TestBlock } from "./blocks.ts";
import { applyChanges, compareEnds, type Difference, revertChanges } from "./compare.ts";
import type { Executor } from "./executor.ts";
import { applyPatches, drawInput, revertPatches } from "./inputs.ts";
import { caseCount, type Group, type NativeResult, runNatively } from "./native.ts";
import { nativeOutcome, normalise } from "./outcome.ts";
import { pristine } from "./places.ts";
import { asCase, type Case, inputLayout, outputLayout } from "./records.ts";

export interface Mismatch {
  readonly executor: string;
  readonly block: TestBlock;
  /** The input record. */
  readonly input: Uint8Array;
  readonly differences: readonly Difference[];
}

export function drawGroup(block: TestBlock, cases: number, random: RandomState): Group {
  const inputs = new Uint8Array(cases * inputLayout.size);
  for (let at = 0; at < inputs.length; at += inputLayout.size)
    drawInput(block, random, inputs.subarray(at, at + inputLayout.size));
  return { block, inputs };
}

const expected = pristine.slice();
const output = asCase(new Uint8Array(outputLayout.size));

/** Runs one case. `float`: the vector and x87 state is loaded and compared too. */
function judge(
  executor: Executor,
  block: TestBlock,
  input: Case,
  native: NativeResult,
  float: { readonly load: boolean; readonly compare: boolean },
): readonly Difference[] {
  const outcome = nativeOutcome(native.output, block.address, block.address + block.bytes.length);
  applyPatches(input, executor.data);
  applyPatches(input, expected);
  applyChanges(expected, native);
  if (float.load) executor.loadFloat(input);
  const machine = { outcome: normalise(executor.run(input, output)), output, memory: executor.data };
  if (float.compare) executor.saveFloat(output);
  const processor = { outcome, output: native.output, memory: expected };
  const differences = compareEnds(block, input, processor, machine, float.compare);
  for (const data of [expected, executor.data]) {
    revertChanges(data, native);
    revertPatches(input, data);
  }
  // What the machine alone stored is not reverted: after a difference, or one that is tolerated at a fault.
  if (differences.length > 0 || outcome.kind !== "done") executor.data.set(pristine);
  return differences;
}

/** Runs a group's cases on one executor. Where nothing touches the float state, the last case finds it as the first had it. */
function judgeGroup(group: Group, results: readonly NativeResult[], executor: Executor, limit: number): Mismatch[] {
  const mismatches: Mismatch[] = [];
  const usesFloat = group.block.instructions.some(({ form }) => form.float);
  executor.load(group.block);
  for (const [i, native] of results.entries()) {
    const input = group.inputs.subarray(i * inputLayout.size, (i + 1) * inputLayout.size);
    const float = { load: usesFloat || i === 0, compare: usesFloat || i === results.length - 1 };
    const differences = judge(executor, group.block, asCase(input), native, float);
    if (differences.length > 0) mismatches.push({ executor: executor.name, block: group.block, input, differences });
    if (mismatches.length === limit) break;
  }
  return mismatches;
}

/** Runs the groups everywhere. At most `limit` mismatches are kept for each block and executor. */
export function runGroups(groups: readonly Group[], executors: readonly Executor[], limit = 1): Mismatch[] {
  const results = runNatively(groups);
  for (const executor of executors) executor.data.set(pristine);
  let first = 0;
  return groups.flatMap((group) => {
    const own = results.slice(first, first + caseCount(group));
    first += own.length;
    return executors.flatMap((executor) => judgeGroup(group, own, executor, limit));
  });
}
