/** Lists every instruction form of this machine's processor: compared with the real one, or why not. */

import { semanticsOf } from "../src/isa/lift/index.ts";
import { allForms, refused, whyNotCompared } from "./cpu-harness/index.ts";

const counts = { compared: 0, "not compared": 0, refused: 0 };
for (const form of allForms("v3")) {
  const lifted = semanticsOf(form, "v3") !== undefined;
  const why = lifted ? whyNotCompared(form, "v3") : refused.find(({ mnemonics }) => mnemonics.test(form.mnemonic))?.why;
  const status = !lifted ? "refused" : why === undefined ? "compared" : "not compared";
  counts[status]++;
  console.log(`${form.name.padEnd(32)} ${status.padEnd(14)} ${why ?? ""}`.trimEnd());
}
console.log(counts);
