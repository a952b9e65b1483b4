/** Programs whose mistake lies behind their input, their twins without it, and what the paths of a program are. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { compileGuest } from "../../../test/support/programs.ts";
import { below, seedRandom } from "../../base/index.ts";
import { realPorts } from "../../host/index.ts";
import { Subject } from "../../session/subject/index.ts";
import { evaluateTerm, type Term } from "../../smt/index.ts";
import { rulesEngine } from "../rules/index.ts";
import type { PathEnd } from "./explorer.ts";
import {
  type CommandInput,
  runSymbolic,
  type SearchPolicy,
  type SymbolicOptions,
  searches,
  type UnknownCommand,
} from "./index.ts";
import { eachCondition } from "./path.ts";
import { explorerFor } from "./session.ts";

const seed = Number(process.env.SEED ?? 0);
const hasTime = process.env.ALL_GUESTS !== undefined;
const rules = () =>
  rulesEngine({ platform: "px86", mode: "dax", disabled: new Set(), custom: [], wantsAnnotations: false });

/** The machine's pool is on no disk; the one that a program makes natively goes again. */
const folder = mkdtempSync(join(tmpdir(), "blackout-symbolic-"));
const pool = join(folder, "pool");
const nativePool = join(folder, "native");
afterAll(() => rmSync(folder, { recursive: true }));

interface Guest {
  readonly setup?: readonly string[];
  readonly name: string;
  readonly args: readonly string[];
  readonly unknown: UnknownCommand;
}
const nothing: UnknownCommand = { args: new Map(), stdin: 0, environment: new Map(), files: new Map() };
const argument = (number: number): UnknownCommand => ({ ...nothing, args: new Map([[number, undefined]]) });
const stdin = (bytes: number): UnknownCommand => ({ ...nothing, stdin: bytes });

// biome-ignore format: a row each
const guests: readonly Guest[] = [
  { name: "magic",    args: ["xx", pool], unknown: argument(1) },
  { name: "checksum", args: [pool],       unknown: stdin(4) },
  { name: "lengths",  args: [pool],       unknown: stdin(2) },
  { name: "table",    args: ["xx", pool], unknown: argument(1) },
  { name: "named",    args: [pool],       unknown: nothing },
  { name: "settings", args: [pool],       unknown: { ...nothing, environment: new Map([["LEVEL", 2]]) } },
  { name: "earlier",  args: [pool],              unknown: { ...nothing, files: new Map([[pool, { from: 0, to: 2 }]]) }, setup: ["truncate", "-s", "4096", pool] },
  { name: "verbs",    args: ["xxx", pool],       unknown: argument(1) },
  { name: "collision", args: [pool],             unknown: stdin(4) },
  { name: "states",   args: [pool],              unknown: stdin(4) },
  { name: "halves",   args: [pool],              unknown: stdin(1) },
  { name: "slots",    args: [pool],              unknown: stdin(3) },
  { name: "commands", args: [pool],       unknown: stdin(4) },
  // Three commands show it, four are many more paths.
  { name: "kv",       args: [pool],       unknown: stdin(hasTime ? 32 : 24) },
  { name: "fields",   args: [pool],       unknown: stdin(2) },
  { name: "full",     args: [pool],       unknown: stdin(2) },
  { name: "escapes",  args: ["xxxx", pool], unknown: argument(1) },
  { name: "sorted",   args: [pool],       unknown: stdin(3) },
  { name: "letters",  args: [pool],       unknown: stdin(2) },
  { name: "version",  args: [pool],       unknown: stdin(2) },
];
/** Partition takes a run for each of many inputs: of a dozen here, of all where more time is. */
const parted = hasTime ? guests : guests.slice(0, 12);

function optionsFor(
  { name, args, unknown, setup }: Guest,
  isRight: boolean,
  search: SearchPolicy = "coverage",
): SymbolicOptions {
  const program = [compileGuest(`symbolic/${name}.c`, ["-g", "-O1", ...(isRight ? ["-DRIGHT"] : [])]), ...args];
  return {
    subject: { directory: "/tmp", env: [], seed: 0, cpu: "v2", limits: {}, jit: true, program, pm: [], pmMode: "dax", annotated: false, ...(setup && { setup }) },
    unknown,
    limits: { instructions: 10_000_000, values: 300, paths: 1000, search },
  }; // biome-ignore format: plain data
}

/** Exit code of the program itself. Words with bytes that are no text cannot be handed to a process here. */
function exitNatively({ words: [file, ...words], stdin: input = new Uint8Array(), environment }: CommandInput) {
  rmSync(nativePool, { force: true });
  const args = words.map((word) => (word === pool ? nativePool : word));
  const isText = [...args, ...environment].every((word) => [...word].every((letter) => letter < "\x80"));
  const env = Object.fromEntries(
    environment.map((entry) => [entry.split("=")[0], entry.slice(entry.indexOf("=") + 1)]),
  );
  return isText ? spawnSync(file!, args, { input, env }).status : undefined;
}

test.each(guests)("what only some inputs of $name do is found, and in its twin nothing is", async (guest) => {
  const ends: unknown[] = [];
  const wrong = await runSymbolic(optionsFor(guest, false), [rules()], realPorts(), ({ input, outcome }) => {
    // Natively, blackout_symbolic does nothing, and the pool is not there.
    const code = input.named.size + input.files.length > 0 ? undefined : exitNatively(input);
    if (code !== undefined) ends.push([outcome, { kind: "exit", code }]);
  });
  const right = await runSymbolic(optionsFor(guest, true), [rules()], realPorts());
  expect(wrong.found.map(({ finding }) => finding.rule.id)).toEqual(["missing-flush"]);
  expect(right.found).toEqual([]);
  expect([wrong.isComplete, right.isComplete]).toEqual([true, true]);
  expect(ends.length > 0).toBe(guest.unknown !== nothing && guest.setup === undefined);
  for (const [here, natively] of ends as [unknown, unknown][]) expect(here).toEqual(natively);
});

/** Every path of the program, by itself. */
async function pathsOf(guest: Guest) {
  const options = optionsFor(guest, false);
  const { explorer, inputs } = explorerFor(new Subject(options.subject, realPorts()), options);
  const ends: PathEnd[] = [];
  for (let end = await explorer.next(); end !== undefined; end = await explorer.next()) ends.push(end);
  return { explorer, inputs, ends };
}

test.each(parted)("each input of $name satisfies the conditions of one path, and takes it", async (guest) => {
  const { explorer, ends } = await pathsOf(guest);
  expect(explorer.isComplete).toBe(true);
  const random = seedRandom(seed);
  const variables = explorer.unknowns.all;
  const edges = [0, 1, 0x6b, 0x3e, 0x7f, 0x80, 0xff];
  const taken = new Set<PathEnd>();
  const drawn: { known: (condition: Term) => bigint; took: PathEnd }[] = [];
  const followed: { again: PathEnd; end: PathEnd }[] = [];
  // Each path gets its own input once.
  for (let i = 0; i < Math.max(400, 2 * ends.length); i++) {
    // Half of them near an input that is known to take some path, and first that input itself.
    const near = i % 2 === 0 ? explorer.unknowns.assignment(ends[(i / 2) % ends.length]!.model) : undefined;
    const isItself = i < 2 * ends.length;
    const draw = (at: number) => BigInt(i % 3 === 0 ? edges[(i + at) % edges.length]! : below(random, 256));
    const model = new Map(
      variables.map((variable, at): [Term, bigint] => [
        variable,
        near !== undefined && (isItself || below(random, 4) > 0) ? near(variable) : draw(at),
      ]),
    );
    const worth = explorer.unknowns.assignment(model);
    const known = new Map<Term, bigint>();
    const satisfied = ends.filter(({ conditions }) =>
      [...eachCondition(conditions)].every((condition) => evaluateTerm(condition, worth, known) === 1n),
    );
    expect(satisfied.length, `${[...model.values()]}, seed ${seed}`).toBe(1);
    taken.add(satisfied[0]!);
    drawn.push({ known: (condition) => evaluateTerm(condition, worth, known), took: satisfied[0]! });
    if (i % 80 !== 0) continue;
    const again = explorer.follow(model);
    expect(again.outcome).toEqual(satisfied[0]!.outcome);
    followed.push({ again, end: satisfied[0]! });
  }
  // What is asked on the way is what the path asked: whatever input takes the one takes the other.
  for (const { again, end } of followed)
    for (const { known, took } of drawn)
      if (took === end) for (const condition of eachCondition(again.conditions)) expect(known(condition)).toBe(1n);
  expect(taken.size).toBe(ends.length);
});

test("every search goes the same paths", async () => {
  const guest = guests.find(({ name }) => name === "commands")!;
  const paths: string[] = [];
  for (const search of searches) {
    const options = optionsFor(guest, false, search);
    const { explorer } = explorerFor(new Subject(options.subject, realPorts()), options);
    const ends: string[] = [];
    for (let end = await explorer.next(); end !== undefined; end = await explorer.next()) ends.push(end.events);
    paths.push(ends.sort((a, b) => (a < b ? -1 : 1)).join());
  }
  expect(new Set(paths).size).toBe(1);
});
