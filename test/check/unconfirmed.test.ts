/**
 * What rules say of stores that may be lost is a warning where recovery knows better: every crash was judged and it fails on none
 * by them, or it never reads them. Nobody knows better where no recovery looks.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { framesOf } from "../../src/report/document/index.ts";
import { reportOf } from "../support/findings.ts";
import { checkGuest, checkSource } from "./guests.ts";

const pool = "/tmp/blackout-moves-pool.img";
const lines = readFileSync(checkSource("moves"), "utf8").split("\n");
const markOf = (line: number | undefined) => /\/\/ (\w+)$/.exec(lines[(line ?? 0) - 1] ?? "")?.[1] ?? `${line}`;
const told = ["recovery-fails", "missing-flush", "dirty-overwrite"];

async function found(bug: string | undefined, options: readonly string[] = [], recovery = "check") {
  const program = checkGuest("moves", bug);
  const recover =
    recovery === "" ? [] : ["--recover", recovery === "true" ? "/bin/true" : `${program} ${pool} ${recovery}`];
  const report = await reportOf("check", [...recover, ...options, "--", program, pool]);
  return report.findings
    .flatMap(({ rule, severity, alsoRules = [], places: [cause] }) =>
      [{ rule, severity }, ...alsoRules]
        .filter((each) => told.includes(each.rule))
        .map((each) => `${each.severity} ${each.rule} ${markOf(framesOf(report, cause!.place)[0]?.line)}`),
    )
    .sort((a, b) => a.localeCompare(b));
}

const stores = ["dirty-overwrite twice", "missing-flush hint", "missing-flush unlock", "missing-flush visits"];
const allAs = (severity: string) => stores.map((store) => `${severity} ${store}`);

it("every crash was judged, and none breaks recovery", async () => {
  expect(await found(undefined)).toEqual(allAs("warning"));
});
it("a crash shows another mistake", async () => {
  expect(await found("UNLOGGED")).toEqual(["error recovery-fails second", ...allAs("warning").slice(1)]);
});
it("a crash loses the store that a rule complains of, which stays an error", async () => {
  const shown = ["error dirty-overwrite twice", "error missing-flush twice", "error recovery-fails twice"];
  expect(await found("UNFLUSHED")).toEqual([...shown, ...allAs("warning").slice(1)]);
});
it("not every crash was judged: what recovery reads stays an error", async () => {
  expect(await found(undefined, ["--max-states", "20"])).toEqual([`error ${stores[0]}`, ...allAs("warning").slice(1)]);
});
it("warns of a recovery that reads nothing of what was stored, and of no other", async () => {
  const program = checkGuest("moves", undefined);
  const warned = async (recover: string) => {
    const { findings } = await reportOf("check", ["--recover", recover, "--", program, pool]);
    return findings.filter(({ rule }) => rule === "recovery-reads-nothing").map(({ message }) => message);
  };
  const nothing = "the recovery reads nothing of what this run stored, as ";
  expect(await warned("/bin/true")).toEqual([expect.stringMatching(`^${nothing}[\\w>.-]+`)]);
  expect(await warned(`${program} ${pool} check`)).toEqual([]);
  // By a call, and only what is there at the end.
  expect(await warned(`/usr/bin/cksum ${pool}`)).toEqual([]);
});
it("the program runs again, or recovery reads nothing: nobody judged", async () => {
  expect(await found(undefined, [], "")).toEqual(allAs("error"));
  expect(await found(undefined, [], "true")).toEqual(allAs("error"));
});
