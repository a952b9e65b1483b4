/**
 * Compares random instructions with the real processor until one differs: `tsx tools/fuzz-cpu.ts [SEED] [FORMS]`, where
 * FORMS is a pattern for form names. Prints the seed of every round, and for a mismatch its smallest reproduction.
 */
import { pick, seedRandom } from "../src/base/index.ts";
import {
  describeMismatch,
  drawBlock,
  drawGroup,
  drawSingle,
  type Group,
  MachineExecutor,
  runGroups,
  shrink,
  supportedForms,
  whyNotCompared,
} from "./cpu-harness/index.ts";

const firstSeed = Number(process.argv[2] ?? 0);
const pattern = new RegExp(process.argv[3] ?? ".", "i");
const forms = supportedForms().filter((form) => whyNotCompared(form) === undefined && pattern.test(form.name));
const groupsPerRound = 100;
const casesPerGroup = 100;

const draws = {
  forms: (random: ReturnType<typeof seedRandom>) => drawSingle(pick(random, forms), random),
  blocks: (random: ReturnType<typeof seedRandom>) => drawBlock(forms, random),
};

function round(seed: number): void {
  const random = seedRandom(seed);
  const executors = [new MachineExecutor("interpreter"), new MachineExecutor("jit")];
  const groups: Group[] = [];
  while (groups.length < groupsPerRound) {
    const block = draws[groups.length % 2 === 0 ? "forms" : "blocks"](random);
    if (block && block.instructions.length > 0) groups.push(drawGroup(block, casesPerGroup, random));
  }
  const [mismatch] = runGroups(groups, executors, 1);
  if (!mismatch) return;
  console.log(`seed ${seed}`);
  console.log(describeMismatch(shrink(mismatch, executors)));
  process.exit(1);
}

for (let seed = firstSeed; ; seed++) {
  round(seed);
  console.log(`seed ${seed}: ${groupsPerRound * casesPerGroup} cases agree`);
}
