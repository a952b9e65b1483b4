/** `fix --performance`: what is needless on every path goes, what is needless in this run alone stays, and the program does the same. */
import { relative, resolve } from "node:path";
import { expect, it } from "vitest";
import { keptText, OpenSources, Removal, removedText } from "../../src/engines/index.ts";
import { readText, realPorts } from "../../src/host/index.ts";
import { pool } from "../check/guests.ts";
import { openTestSyntax } from "../source/syntax.ts";
import { compileGuest } from "../support/programs.ts";
import { subjectOf } from "../support/subject.ts";
import { errorsOf, executed, findingsOf, PatchedGuests } from "./mending.ts";

const folder = resolve("guests");
const source = "repair/needless.c";
const optionsOf = (program: string) => subjectOf([program, pool], { recover: [program, pool, "check"] }).options;

it("takes out what every path has already, and nothing else", async () => {
  const options = optionsOf(compileGuest(source, ["-O1", "-g", "-static"]));
  const shownPath = (path: string) => relative(folder, path);
  const sources = new OpenSources({
    syntax: await openTestSyntax(),
    readSource: (path) => (path.startsWith(folder) ? readText(path, "source") : undefined),
    isOwn: (module) => module === options.program[0],
    shownPath,
  });
  const ports = { host: realPorts(), sources, findings: findingsOf, shownPath };
  const { removed, kept, changes } = await new Removal(options, ports).run();
  expect(removed.map((one) => removedText(one).split("\n")[0])).toEqual([
    "removed: needless.c:15 in fill: flush(&pair->first, sizeof pair->first);",
    "removed: needless.c:21 in fill: fence();",
  ]);
  expect(kept.map(keptText)).toEqual([
    "kept: needless.c:20 in fill: fence with nothing pending, but it is all that an if or a loop without braces has",
    "kept: needless.c:18 in fill: flush of a clean line, but it is all that an if or a loop without braces has",
    "kept: needless.c:27 in refill: flush of a clean line, but it is not needless on every path through refill",
    "kept: needless.c:32 in refill: fence with nothing pending, but it is not needless on every path through refill",
  ]);
  const patched = new PatchedGuests(changes);
  const rebuilt = optionsOf(patched.build({ source, flags: ["-static"] }, "-O1"));
  expect(await errorsOf(rebuilt)).toEqual([]);
  expect(executed(options)).toEqual({ flushes: 8, fences: 10 });
  expect(executed(rebuilt)).toEqual({ flushes: 6, fences: 8 });
  patched.remove();
});
