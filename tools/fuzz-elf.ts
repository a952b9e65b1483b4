/**
 * Runs damaged programs: `npx tsx tools/fuzz-elf.ts [SEED] [COUNT]`; unbounded without COUNT. A damaged program may be
 * refused, crash or loop inside the machine; it must never throw anything but an InputError out of it.
 */
import { runMutant } from "./mutants/elf.ts";

const first = Number(process.argv[2] ?? 0);
const count = Number(process.argv[3] ?? Number.POSITIVE_INFINITY);
const reportEvery = 200;
const tally = new Map<string, number>();
console.log(`elf fuzz, seed ${first}`);
for (let seed = first; seed < first + count; seed++) {
  try {
    const end = runMutant(seed);
    tally.set(end, (tally.get(end) ?? 0) + 1);
  } catch (error) {
    console.log(`seed ${seed} got out of the machine`);
    throw error;
  }
  if ((seed - first + 1) % reportEvery === 0) console.log(`seed ${seed}: ${JSON.stringify(Object.fromEntries(tally))}`);
}
console.log(`${count} damaged programs: ${JSON.stringify(Object.fromEntries(tally))}`);
