/**
 * Damaged input files: `npx tsx tools/fuzz-inputs.ts [SEED] [COUNT]`; unbounded without COUNT. One may be refused, stopped at
 * a limit or taken; nothing else may come of it, and none may take longer than twenty seconds.
 */
import { setImmediate } from "node:timers/promises";
import { inputMutants, runInputMutant } from "./mutants/inputs.ts";

const first = Number(process.argv[2] ?? 0);
const count = Number(process.argv[3] ?? Number.POSITIVE_INFINITY);
const patienceMs = 20_000;
const kinds = Object.keys(inputMutants) as (keyof typeof inputMutants)[];
const tally = new Map<string, number>();
const reportEvery = 100;
console.log(`input fuzz, seed ${first}`);
const tell = () => console.log(JSON.stringify(Object.fromEntries(tally)));
for (let seed = first; seed < first + count; seed++) {
  if (seed > first && (seed - first) % reportEvery === 0) {
    tell();
    // What nobody has any more lets go of its descriptors between two turns.
    await setImmediate();
  }
  for (const kind of kinds) {
    const began = performance.now();
    try {
      const end = `${kind} ${runInputMutant(kind, seed)}`;
      tally.set(end, (tally.get(end) ?? 0) + 1);
    } catch (error) {
      console.log(`${kind}, seed ${seed}: neither taken nor refused`);
      throw error;
    }
    if (performance.now() - began > patienceMs) throw new Error(`${kind}, seed ${seed}: took longer than 20 s`);
  }
}
tell();
