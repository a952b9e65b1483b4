/**
 * Larger programs on Debian's libpmemobj, with its annotations answered: what is correct has no error, however the
 * library does its work inside, and a store that a transaction does not cover is blamed at its line.
 */
import { describe, expect, it } from "vitest";
import { expectationMetBy, expectationsIn, findingsOf } from "../support/findings.ts";
import { compileGuest, guestSource } from "../support/programs.ts";

const flags = ["-O1", "-g", "-fno-inline", "-lpmemobj", "-lpmem", "-lpthread"];

describe("errors are where the program makes them, and nowhere else", () => {
  it.each(["transactions", "atomics", "threads"])("%s", async (name) => {
    const source = guestSource(`pmemobj/${name}.c`);
    const found = await findingsOf("trace", ["--fail-on", "error", "--", compileGuest(`pmemobj/${name}.c`, flags)]);
    const errors = found.filter(({ severity }) => severity === "error");
    const expected = expectationsIn(source);
    expect(errors.map((finding) => expectationMetBy(finding, source, expected))).toEqual(expected);
    expect(errors.length > 0).toBe(name === "transactions");
    expect(found.length, "the library's own work is in the trace").toBeGreaterThan(errors.length);
  });
});

describe("check", () => {
  const program = () => compileGuest("pmemobj/transactions.c", flags);
  const errorsOf = async (command: "check" | "trace", ...options: readonly string[]) => {
    const found = await findingsOf(command, [...options, "--", program()]);
    return found.filter(({ severity }) => severity === "error");
  };
  const few = ["--no-journal", "--max-states", "1", "--recover", "/bin/true"];

  it("judges by the rules a run in which the library tells what it does", async () => {
    expect(await errorsOf("check", ...few)).toEqual(await errorsOf("trace"));
  });

  it("takes the library's own work for mistakes where it is not asked", async () => {
    const asked = await errorsOf("check", ...few);
    const silent = await errorsOf("check", ...few, "--annotations", "off");
    expect(silent.length).toBeGreaterThan(asked.length);
  });
});
