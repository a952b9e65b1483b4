/**
 * The tests that `make unit` runs: those that start no process, so that no compiler, no native program and no build is
 * needed, without the few that look at very many cases.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const importPattern = /(?:from |import |import\()"(\.[^"]+\.ts)"/g;
const startsProcesses = /"node:child_process"/;

/** They take about as long as all others together. */
const long: readonly string[] = ["test/litmus/fuzz.test.ts", "test/litmus/traced.test.ts"];

/** Whether a file, or one that it reaches by imports, has such text. */
export function reaches(path: string, text: RegExp, readFile: (path: string) => string): boolean {
  const seen = new Set([path]);
  for (const name of seen) {
    const source = readFile(name);
    if (text.test(source)) return true;
    for (const [, imported] of source.matchAll(importPattern)) seen.add(join(dirname(name), imported!));
  }
  return false;
}

export function unitTests(root: string): readonly string[] {
  const known = new Map<string, string>();
  const readFile = (path: string): string => {
    const whole = join(root, path);
    const text = known.get(path) ?? (existsSync(whole) ? readFileSync(whole, "utf8") : "");
    known.set(path, text);
    return text;
  };
  const tests = ["src", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => join(folder, name)),
  );
  return tests.filter((path) => !long.includes(path) && !reaches(path, startsProcesses, readFile));
}
