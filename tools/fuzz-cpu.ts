/**
 * Compares random instructions with the real processor until one differs: `tsx tools/fuzz-cpu.ts [SEED] [FORMS]`, where
 * FORMS is a pattern for form names. Prints the seed of every round, and for a mismatch its smallest reproduction.
 */
import { pick, seedRandom, verifyOwnWork } from "../src/base/index.ts";
import {
  compareBlocks,
  compareForm,
  EvaluatorExecutor,
  MachineExecutor,
  processorLevel,
  supportedForms,
  whyNotCompared,
} from "./cpu-harness/index.ts";

verifyOwnWork();
const firstSeed = Number(process.argv[2] ?? 0);
const pattern = new RegExp(process.argv[3] ?? ".", "i");
const forms = supportedForms(processorLevel).filter(
  (form) => whyNotCompared(form, processorLevel) === undefined && pattern.test(form.name),
);
const formsPerRound = 20;

function round(seed: number): string[] {
  const random = seedRandom(seed);
  const machines = (["interpreter", "jit", "calling"] as const).map((tier) => new MachineExecutor(tier));
  const executors = [...machines, new EvaluatorExecutor()];
  const drawn = Array.from({ length: formsPerRound }, () => pick(random, forms));
  return [
    ...drawn.flatMap((form) => compareForm(form, { encodings: 10, inputs: 100 }, seed, executors)),
    ...compareBlocks(forms, { blocks: 100, inputs: 100 }, seed, executors),
  ];
}

for (let seed = firstSeed; ; seed++) {
  const [mismatch] = round(seed);
  if (mismatch !== undefined) {
    console.log(mismatch);
    process.exit(1);
  }
  console.log(`seed ${seed}: no difference`);
}
