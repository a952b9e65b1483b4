/** Our own litmus tests, read from the files beside this one, and the reference set. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CrashSets, type LitmusTest, parseTests } from "../../src/litmus/index.ts";

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

/** The reference set, where it is at hand. */
export const sharedFolder = join(folder, "..", "..", "..", "shared", "litmus");
const sharedFile = join(sharedFolder, "litmus.json");
export const sharedTests: readonly LitmusTest[] = existsSync(sharedFile) ? read(sharedFile) : [];

export const goldenPath = join(folder, "golden", "outcomes.json");

const readSets = <Sets>(path: string): Readonly<Record<string, Sets>> =>
  existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Record<string, Sets>) : {};
/** What crashes in each phase of our own tests leave, and in the one phase of the reference set's. */
export const ownGolden = (): Readonly<Record<string, readonly CrashSets[]>> => readSets(goldenPath);
export const sharedGolden = (): Readonly<Record<string, CrashSets>> =>
  readSets(join(sharedFolder, "golden-outcomes.json"));

export function ownTest(name: string): LitmusTest {
  const found = ownTests.find((test) => test.name === name);
  if (found === undefined) throw new Error(`there is no litmus test named ${name}`);
  return found;
}
