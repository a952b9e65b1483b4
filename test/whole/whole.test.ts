/**
 * Whole commands on random programs, beside a twin that goes through all crash states in plain code: verdicts are the twin's, what is
 * said of a crash holds, every witness fails again, and what `fix` calls fixed is clean when it is built again. `tools/fuzz-whole.ts`
 * goes on without end; WHOLE_SEED and WHOLE_PROGRAMS choose others here.
 */
import { afterAll, describe, expect, it } from "vitest";
import { Built } from "./built.ts";
import { type CommandName, commands, judgements } from "./commands.ts";
import { sampleOf } from "./sample.ts";
import { sectionKinds } from "./sections.ts";
import { smaller } from "./shrink.ts";
import { isFit } from "./twin.ts";

const first = Number(process.env.WHOLE_SEED ?? 1);
const count = Number(process.env.WHOLE_PROGRAMS ?? 16);
const sample = sampleOf(first, count);

/** Besides `check`, one for each program in turn. */
const others: readonly CommandName[] = [
  "explore",
  "shallow",
  "explore",
  "robust",
  "explore",
  "trace",
  "explore",
  "represent",
];

describe.each(["c", "c++"])("programs in %s", (language) => {
  const some = sample.filter(({ program }) => program.language === language);
  const built = new Built(some.map(({ program }) => program));
  afterAll(() => built.remove());

  it.each(some.map(({ seed }, number) => [seed, number] as const))(
    "program %i",
    { timeout: 240_000 },
    async (_, number) => {
      const twins = judgements(built.programs[number]!);
      for (const name of ["check", others[number % others.length]!] as const)
        expect(await commands[name](built, number, twins)).toEqual([]);
    },
  );

  const isBroken = (number: number) =>
    judgements(built.programs[number]!).every(({ strict, broken }) => broken.size > strict.size);
  it.each(
    some
      .map((_, number) => number)
      .filter(isBroken)
      .slice(0, 1),
  )("is fixed, shown and replayed (%i)", { timeout: 240_000 }, async (number) => {
    const twins = judgements(built.programs[number]!);
    for (const name of ["fix", "replay"] as const) expect(await commands[name](built, number, twins)).toEqual([]);
  });
});

it("every kind occurs, and some of the programs are right, and some are wrong", () => {
  if (count < 16) return;
  const kinds = new Set(sample.flatMap((one) => one.kinds));
  const pools = ["plain", "renamed", "linked", "symlinked", "made before", "made run"];
  const ways = [
    "call",
    "thread",
    "loop",
    "parallel",
    "joined",
    "split",
    "map over",
    "map part",
    "map anew",
    "map second",
  ];
  const wanted = [...sectionKinds, ...pools, ...ways, "ack write", "ack printf", "ack side", "ack none", "c", "c++"];
  expect(wanted.filter((kind) => !kinds.has(kind))).toEqual([]);
  const wrong = sample.filter(({ program }) => judgements(program)[0]!.broken.size > 0).length;
  expect([wrong > 2, count - wrong > 2], `${wrong} of ${count} from seed ${first} on`).toEqual([true, true]);
});

it("a smaller program has less in it, and is one that the twin can judge", () => {
  const { program } = sample[0]!;
  const candidates = [...smaller(program)];
  expect(candidates.length).toBeGreaterThan(5);
  for (const candidate of candidates.filter(isFit)) expect(JSON.stringify(candidate)).not.toBe(JSON.stringify(program));
});
