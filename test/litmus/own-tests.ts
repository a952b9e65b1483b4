/** Our own litmus tests and the reference set, read from the files here. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CrashSets, type LitmusTest, parseTests } from "../../src/model/litmus/index.ts";

const folder = import.meta.dirname;

const read = (path: string): LitmusTest[] => parseTests({ file: path, text: readFileSync(path, "utf8") });

const filesIn = (path: string, ending: string): string[] =>
  readdirSync(path)
    .filter((name) => name.endsWith(ending))
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => join(path, name));

export const jsonTests: readonly LitmusTest[] = filesIn(folder, ".json").flatMap(read);
export const herdTests: readonly LitmusTest[] = filesIn(join(folder, "herd"), ".litmus").flatMap(read);
export const ownTests: readonly LitmusTest[] = [...jsonTests, ...herdTests];

/** The reference set: verdicts written by hand, before any model of ours ran them. */
export const referenceTests: readonly LitmusTest[] = read(join(folder, "reference", "litmus.json"));

export const goldenPath = join(folder, "golden", "outcomes.json");

const readSets = <Sets>(path: string) => JSON.parse(readFileSync(path, "utf8")) as Readonly<Record<string, Sets>>;
/** What crashes in each phase of our own tests leave. */
export const ownGolden = () => (existsSync(goldenPath) ? readSets<readonly CrashSets[]>(goldenPath) : {});
/** The same for the reference set, whose tests have one phase. */
export const referenceGolden = readSets<CrashSets>(join(folder, "golden", "reference.json"));

export function ownTest(name: string): LitmusTest {
  const found = ownTests.find((test) => test.name === name);
  if (found === undefined) throw new Error(`there is no litmus test named ${name}`);
  return found;
}
