/**
 * The engine against the definition, as binaries: every crash state of random programs and of small guests. ROBUST_SEED and
 * ROBUST_BINARIES go on with others (`make fuzz`).
 */
import { env } from "node:process";
import { expect, it } from "vitest";
import type { LeadScene } from "../../src/session/work/index.ts";
import { notesIn } from "../../src/trace/events/index.ts";
import { checkGuest, pool as checkPool } from "../check/guests.ts";
import { judgeStates, type PrefixesOf, type StatesJudged } from "./crash-states.ts";
import { closedPrefixes, drawnReaders, threadsOf } from "./readers.ts";
import { drawnReader, type Judged, judgedRobust } from "./support.ts";

/** From here on, few programs show both verdicts. */
const seed = Number(env["ROBUST_SEED"] ?? 34);
const programs = Number(env["ROBUST_BINARIES"] ?? 20);
const mostStates = 200;

const notesOf = ({ trace }: LeadScene) => [...notesIn(trace)].map(({ kind }) => kind);

/** What the twin says, once the engine says the same. */
function agreed({ scene, statistics, findings }: Judged, told: string, known?: PrefixesOf): StatesJudged {
  const twin = judgeStates(scene, known);
  const hasError = findings.some(({ rule }) => rule.severity === "error");
  const { violating } = twin;
  expect(statistics.violating, told).toBe(violating);
  expect(findings.length > 0, told).toBe(violating > 0);
  // Prefixes of several threads may leave a line what no crash of this run does: the engine does not look there for the same values.
  const isThreaded = new Set(notesOf(scene)).has("thread-start");
  if (!isThreaded || twin.hasError) expect(hasError, told).toBe(twin.hasError);
  return twin;
}

interface Draws {
  readonly programs: number;
  readonly threads: "some" | "all";
}

/** How many programs are robust, and how many are not, by store or by value too. */
function compared({ programs: count, threads }: Draws) {
  const counts = { robust: 0, errors: 0, warnings: 0 };
  for (let number = seed; number < seed + count; number++) {
    const { program, commands, told } = drawnReader(number, threads);
    const more = threads === "all" ? { schedule: { seed: number } } : {};
    let judged: Judged;
    try {
      judged = judgedRobust(program, { ...commands, ...more });
    } catch (error) {
      // A recovery whose undisturbed end fails is no recovery: such a draw is left out.
      if (`${error}`.includes("undisturbed")) continue;
      throw new Error(told, { cause: error });
    }
    if (judged.states > BigInt(mostStates) || judged.statistics.points === 0) continue;
    const twin = agreed(judged, told);
    if (twin.hasError) counts.errors++;
    else if (twin.violating > 0) counts.warnings++;
    else counts.robust++;
  }
  return counts;
}

it(`${programs} random programs from seed ${seed} on: the same verdicts, and as many violating ways`, {
  timeout: 2 ** 31 - 1,
}, () => {
  const { robust, errors } = compared({ programs, threads: "some" });
  // Neither answer is so rare that agreeing on it would be luck.
  expect(Math.min(robust, errors)).toBeGreaterThan(programs / 20);
});

it(`${programs / 2} random programs of two threads, each by a schedule of its own`, { timeout: 2 ** 31 - 1 }, () => {
  const { robust, errors } = compared({ programs: programs / 2, threads: "all" });
  expect(Math.min(robust, errors)).toBeGreaterThan(programs / 100);
});

it(`${programs / 2} random programs of two or three threads that read each other, half of them by a schedule`, {
  timeout: 2 ** 31 - 1,
}, () => {
  const counts = { robust: 0, violating: 0 };
  /** Whether it made a difference that what threads read orders their stores. */
  let matters = false;
  const first = seed + 10;
  for (let number = first; number < first + programs / 2; number++) {
    const { run, program, commands, told } = drawnReaders(number);
    const schedule = number % 2 === 0 ? {} : { schedule: { seed: number } };
    const judged = judgedRobust(program, { ...commands, ...schedule });
    if (judged.states > BigInt(mostStates) || judged.statistics.points === 0) continue;
    const threads = threadsOf(run, judged.scene.run.stdout);
    const { violating } = agreed(judged, told, closedPrefixes(threads));
    counts[violating > 0 ? "violating" : "robust"]++;
    const deaf = threads.map((thread) => ({ ...thread, ops: thread.ops.map((op) => ({ ...op, reads: [] })) }));
    matters ||= judgeStates(judged.scene, closedPrefixes(deaf)).violating !== violating;
  }
  expect(Math.min(counts.robust, counts.violating)).toBeGreaterThan(programs / 20);
  expect(matters).toBe(true);
});

/** Those that `make test` leaves out come last. */
const guests = [
  ["accounts", undefined],
  ["list", "MISSING_FENCE"],
  ["array", "NON_ATOMIC"],
  ["locked", undefined],
  ["accounts", "LOST_UPDATE"],
  ["list", undefined],
  ["array", undefined],
] as const;

it.each(env["ROBUST_BINARIES"] === undefined ? guests.slice(0, 2) : guests)("%s %s", (guest, bug) => {
  agreed(judgedRobust([checkGuest(guest, bug), checkPool]), `${guest} ${bug}`);
});
