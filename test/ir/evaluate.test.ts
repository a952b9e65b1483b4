/**
 * The evaluator against the runtime, on every form of every instruction and on blocks of several: the same registers, flags
 * (undefined ones too), x87 and vector state, memory and outcome. Both begin with the same IR, and share nothing after that but
 * macros and helpers. That the runtime agrees with the real processor is shown in test/cpu.
 */
import { expect, test } from "vitest";
import { type RandomState, seedRandom } from "../../src/base/index.ts";
import { describeOutcome } from "../../tools/cpu-harness/compare.ts";
import {
  drawBlock,
  drawGroup,
  drawSingle,
  EvaluatorExecutor,
  type Executor,
  MachineExecutor,
  Numbers,
  supportedForms,
  type TestBlock,
} from "../../tools/cpu-harness/index.ts";
import { applyPatches } from "../../tools/cpu-harness/inputs.ts";
import { pristine } from "../../tools/cpu-harness/places.ts";
import { asCase, inputLayout, outputLayout } from "../../tools/cpu-harness/records.ts";

const seed = Number(process.env["SEED"] ?? 0);
const interpreter = new MachineExecutor("interpreter");
const evaluator = new EvaluatorExecutor();

interface End {
  readonly outcome: string;
  readonly output: Uint8Array;
  readonly data: Uint8Array;
}

/** Everything there is to see after a run. */
function endOf(executor: Executor, input: Uint8Array): End {
  executor.data.set(pristine);
  applyPatches(asCase(input), executor.data);
  executor.loadFloat(asCase(input));
  const output = new Uint8Array(outputLayout.size);
  const outcome = executor.run(asCase(input), asCase(output));
  executor.saveFloat(asCase(output));
  return { outcome: describeOutcome(outcome), output, data: executor.data };
}

const isSame = (left: End, right: End): boolean =>
  left.outcome === right.outcome &&
  Buffer.compare(left.output, right.output) === 0 &&
  Buffer.compare(left.data, right.data) === 0;

/** Inputs on which they differ, of as many as asked for. */
function differences(block: TestBlock, cases: number, random: RandomState, evaluated = evaluator): readonly number[] {
  const { inputs } = drawGroup(block, cases, random);
  interpreter.load(block);
  evaluated.load(block);
  return Array.from({ length: cases }, (_, i) => i).filter((i) => {
    const input = inputs.subarray(i * inputLayout.size, (i + 1) * inputLayout.size);
    return !isSame(endOf(interpreter, input), endOf(evaluated, input));
  });
}

/** What tells of the machine itself, in a way of its own. */
const apart = /^(cpuid|rdtscp?|syscall|xgetbv)$/;
const forms = supportedForms("v3").filter(({ mnemonic }) => !apart.test(mnemonic));

test.each([...new Set(forms.map(({ mnemonic }) => mnemonic[0]!))])("every form of %s…", (letter) => {
  const random = seedRandom(seed);
  for (const form of forms.filter(({ mnemonic }) => mnemonic.startsWith(letter)))
    for (let i = 0; i < 3; i++) {
      const block = drawSingle(form, random);
      if (block) expect(differences(block, 15, random), `${form.name}, seed ${seed}`).toEqual([]);
    }
});

test("blocks of several", () => {
  const random = seedRandom(seed);
  for (let i = 0; i < 300; i++)
    expect(differences(drawBlock(forms, random), 10, random), `block ${i}, seed ${seed}`).toEqual([]);
});

test("a domain that is wrong in one operation is noticed", () => {
  class WrongNumbers extends Numbers {
    override numeric(...[name, args, lane]: Parameters<Numbers["numeric"]>): bigint {
      const value = super.numeric(name, args, lane);
      return name === "i64.and" ? value & ~0x10n : value;
    }
  }
  const random = seedRandom(1);
  const block = drawSingle(forms.find(({ name }) => name === "And_rm64_r64")!, random)!;
  expect(differences(block, 30, random, new EvaluatorExecutor(WrongNumbers))).not.toEqual([]);
  expect(differences(block, 30, random)).toEqual([]);
});
