/** A pool is a file, whatever its names: mistakes are found, and nothing else, where it is renamed, linked, replaced or removed. */
import { describe, expect, it } from "vitest";
import { findingsOf } from "../support/findings.ts";
import { checkGuest } from "./guests.ts";

const pool = "/tmp/blackout-names-pool.img";

async function errors(way: string, check: string, bug: string | undefined, ...options: readonly string[]) {
  const program = checkGuest("names", bug);
  const words = ["--no-rules", "--no-fix", "--recover", `${program} ${pool} ${check}`, ...options];
  const findings = await findingsOf("check", [...words, "--", program, pool, way]);
  return [...new Set(findings.filter(({ severity }) => severity === "error").map(({ rule }) => rule))];
}

describe.each([
  ["temporary", "check"],
  ["linked", "check-link"],
  ["linked", "check"],
  ["symlink", "check"],
  ["alias", "check-link"],
  ["replaced", "check"],
  ["swapped", "check"],
])("%s, recovered with %s", (way, check) => {
  it.each([[], ["--no-explore"]])("is right about it (%s)", async (...options) => {
    expect(await errors(way, check, undefined, ...options)).toEqual([]);
    expect(await errors(way, check, "EARLY", ...options)).toEqual(["recovery-fails"]);
  });
});

it("stores to a pool without a name go nowhere", async () => {
  expect(await errors("removed", "check", undefined)).toEqual([]);
});
