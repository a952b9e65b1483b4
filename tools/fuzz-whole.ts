/**
 * Whole commands on random programs, beside a twin that goes through every crash state in plain code, from a seed on without end:
 * `npx tsx tools/fuzz-whole.ts [SEED] [--only check,fix] [--programs N] [--go-on] [--no-shrink] [--verbose]`. What fails is shrunk to the shortest
 * program that fails in the same way, and printed as C with its seed.
 */
import { parseArgs } from "node:util";
import { Built } from "../test/whole/built.ts";
import type { Complaint } from "../test/whole/claims.ts";
import { type CommandName, commandNames, commands, judgements } from "../test/whole/commands.ts";
import { type Made, makeProgram } from "../test/whole/generate.ts";
import type { Program } from "../test/whole/program.ts";
import { shrink } from "../test/whole/shrink.ts";
import { sourceOf } from "../test/whole/source.ts";
import { isFit } from "../test/whole/twin.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    programs: { type: "string", default: "1000000000" },
    "go-on": { type: "boolean", default: false },
    "no-shrink": { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});
const first = Number(positionals[0] ?? 0);
const last = first + Number(values.programs);
const names = (values.only?.split(",") ?? commandNames) as readonly CommandName[];
/** Built as one executable. */
const batch = 24;

interface Seeded extends Made {
  readonly seed: number;
}

async function complaintsOf(built: Built, number: number, only: readonly CommandName[]): Promise<Complaint[]> {
  const twins = judgements(built.programs[number]!);
  const complaints: Complaint[] = [];
  for (const name of only) complaints.push(...(await commands[name](built, number, twins)));
  return complaints;
}

/** Whether a program, on its own, fails so. */
async function failsSo(program: Program, kind: string): Promise<boolean> {
  if (!isFit(program)) return false;
  let built: Built | undefined;
  try {
    built = new Built([program]);
    const name = names.filter(
      (one) => kind.startsWith(one) || (one === "shallow" && kind.startsWith("check --no-explore")),
    );
    return (await complaintsOf(built, 0, name)).some((complaint) => complaint.kind === kind);
  } catch {
    return false;
  } finally {
    built?.remove();
  }
}

async function tell({ seed, program, kinds }: Seeded, { kind, says }: Complaint): Promise<void> {
  console.log(`seed ${seed} (${kinds.join(", ")}): ${kind}\n  ${says}`);
  if (values["no-shrink"]) return;
  const small = await shrink(program, (candidate) => failsSo(candidate, kind));
  const built = new Built([small]);
  const again = (await complaintsOf(built, 0, names)).filter((complaint) => complaint.kind === kind);
  built.remove();
  console.log(`shrunk: ${again.map((complaint) => complaint.says).join("\n")}`);
  console.log(`  blackout check ${built.words(0, "check").join(" ")}`);
  console.log(ownPart(sourceOf([small]).text));
}

/** Without the head that all programs have. */
const ownPart = (text: string): string =>
  text.slice(text.indexOf("struct p0a"), text.indexOf("static void (*const runs[])"));

let failed = 0;
let tried = 0;
for (let seed = first; seed < last && (failed === 0 || values["go-on"]); seed += batch) {
  const seeds = Array.from({ length: Math.min(batch, last - seed) }, (_, at) => seed + at);
  const made: Seeded[] = seeds
    .map((each) => ({ seed: each, ...makeProgram(each) }))
    .filter(({ program }) => isFit(program));
  for (const language of ["c", "c++"]) {
    const some = made.filter(({ program }) => program.language === language);
    if (some.length === 0) continue;
    const built = new Built(some.map(({ program }) => program));
    for (const [number, one] of some.entries()) {
      tried++;
      if (values.verbose) console.log(`seed ${one.seed}: ${one.kinds.join(" ")}`);
      const complaints = await complaintsOf(built, number, names);
      failed += complaints.length;
      const kinds = new Set(complaints.map(({ kind }) => kind));
      for (const kind of kinds) await tell(one, complaints.find((complaint) => complaint.kind === kind)!);
      if (failed > 0 && !values["go-on"]) break;
    }
    built.remove();
  }
  console.log(`${tried} programs, up to seed ${seed + seeds.length - 1}: ${failed} complaints`);
}
process.exit(failed === 0 ? 0 : 1);
