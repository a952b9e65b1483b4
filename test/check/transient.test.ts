/**
 * A word that nobody flushes: `check` names recovery's load of it, in JSON and in the row of its warning; where recovery cannot do
 * without it, it is an error of its own. A word that recovery never looks at has no such line.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { framesOf } from "../../src/report/document/index.ts";
import { reportText } from "../../src/report/render/index.ts";
import { reportOf } from "../support/findings.ts";
import { checkGuest, checkSource } from "./guests.ts";

const pool = "/tmp/blackout-transient-pool.img";
const lines = readFileSync(checkSource("transient"), "utf8").split("\n");
const lineOf = (mark: string): number => lines.findIndex((text) => text.endsWith(`// ${mark}`)) + 1;

const reported = (bug?: string) => {
  const program = checkGuest("transient", bug);
  const commands = ["--setup", `${program} ${pool} make`, "--recover", `${program} ${pool} check`];
  return reportOf("check", [...commands, "--", program, pool]);
};

it("recovery's load of it is named", async () => {
  const report = await reported();
  const transient = report.findings.filter(({ rule }) => rule === "transient-data");
  const told = transient.map(({ rule, severity, places }) => ({
    rule,
    severity,
    places: places.map(({ place, says }) => {
      const [frame] = framesOf(report, place);
      return { says: says.replace(/.*(its line is never flushed)/, "$1"), at: `${frame?.function}:${frame?.line}` };
    }),
  }));
  const stored = (mark: string) => ({ says: "its line is never flushed", at: `append:${lineOf(mark)}` });
  const load = { says: "recovery loads it here", at: `recover:${lineOf("load")}` };
  expect(told).toEqual([
    { rule: "transient-data", severity: "warning", places: [stored("hint"), load] },
    { rule: "transient-data", severity: "warning", places: [stored("scratch")] },
  ]);
  const text = reportText(report, { readSource: () => undefined, width: 120 });
  expect(text).toContain(
    `transient.c:${lineOf("hint")}  repeated-store (2 times), transient-data (loaded by recovery at transient.c:${lineOf("load")})`,
  );
  expect(text).toMatch(new RegExp(`transient.c:${lineOf("scratch")} +repeated-store, transient-data$`, "m"));
});

it("a recovery that cannot do without it makes it an error", async () => {
  const { findings } = await reported("TRUSTED");
  const errors = findings.filter(({ severity }) => severity === "error");
  // Two mistakes: between the record and its hint no flush helps, and the hint is never flushed at all.
  expect(errors.map(({ rule }) => rule)).toEqual(["recovery-fails", "transient-data"]);
  for (const { headline } of errors) expect(headline).toContain(`transient.c:${lineOf("hint")}`);
});
