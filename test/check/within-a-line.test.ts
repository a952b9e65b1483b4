/** Mistakes of order within one line are explained by stepping back in the trace, to before the pool is mapped too. */
import { expect, it } from "vitest";
import { findingsOf } from "../support/findings.ts";
import { checkGuest, pool } from "./guests.ts";

async function headlines(name: string, bug: string | undefined, ...options: readonly string[]) {
  const program = checkGuest(name, bug);
  const words = ["--no-rules", "--no-fix", "--recover", `${program} ${pool} check`, ...options];
  const findings = await findingsOf("check", [...words, "--", program, pool]);
  return findings.filter(({ severity }) => severity === "error").map(({ rule }) => rule);
}

it.each([[], ["--no-explore"], ["--no-memo"]])(
  "the order of two stores to one line, in a pool mapped late (%s)",
  async (...options) => {
    const twoPools = ["--pm", "**/*.img", "--pm", "**/*.second", ...options];
    expect(await headlines("late", undefined, ...twoPools)).toEqual([]);
    expect(await headlines("late", "ORDER", ...twoPools)).toEqual(["recovery-fails"]);
  },
);
