/** Locked operations drain before their own store, so a crash never falls between the two (docs/MODEL.md, PM-20). */
import { describe, expect, it } from "vitest";
import { findingsOf } from "../support/findings.ts";
import { checkGuest, pool } from "./guests.ts";

const every = ["--no-rules", "--granularity", "store", "--all-points", "--"];

describe.each([
  ["interpreted", ["--no-jit"]],
  ["compiled", []],
])("%s", (_, tier) => {
  it("nothing is published whose data is lost", async () => {
    expect(await findingsOf("check", [...tier, ...every, checkGuest("locked", undefined), pool])).toEqual([]);
  });
  it("unless one operation is not locked", async () => {
    const findings = await findingsOf("check", [...tier, ...every, checkGuest("locked", "UNLOCKED"), pool]);
    expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining("form 8 is published")]);
  });
});
