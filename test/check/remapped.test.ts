/** A pool that is mapped anew keeps its unflushed stores unflushed, and loses none: neither way of mapping hides a mistake. */
import { describe, expect, it } from "vitest";
import { findingsOf } from "../support/findings.ts";
import { checkGuest, pool } from "./guests.ts";

async function errors(command: "check" | "explore", way: string, bug?: string): Promise<readonly string[]> {
  const program = checkGuest("remapped", bug);
  const words = [
    ...(command === "check" ? ["--no-rules", "--no-explore", "--no-fix"] : []),
    "--recover",
    `${program} ${pool} check`,
    "--",
    program,
    pool,
    way,
  ];
  const findings = await findingsOf(command, words);
  return [...new Set(findings.filter(({ severity }) => severity === "error").map(({ rule }) => rule))];
}

describe.each(["fixed", "fixedpage", "moved", "second", "again"])("%s", (way) => {
  it.each(["check", "explore"] as const)("%s is right about it", async (command) => {
    expect(await errors(command, way)).toEqual([]);
    expect(await errors(command, way, "EARLY")).toEqual(["recovery-fails"]);
  });
});
