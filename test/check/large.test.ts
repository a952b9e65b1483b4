/**
 * A mistake in an operation that only large workloads reach, as those of Mumak's section 6.4: the undo log of a B+-tree
 * spills when a split reaches more levels than the log has room for. With room for seven nodes that is at 95 572 keys, with
 * room for five at 5 972.
 */
import { describe, expect, it } from "vitest";
import { findingsOf, functionsOf } from "../support/findings.ts";
import { compileGuest } from "../support/programs.ts";

const pool = "/tmp/blackout-large-pool.img";

function check(keys: number, defines: readonly string[]) {
  const program = compileGuest("check/large.c", ["-O1", "-g", "-static", ...defines]);
  return findingsOf("check", ["--no-rules", "--recover", `${program} ${pool}`, "--", program, pool, `${keys}`]);
}

/** Keys, and the nodes that the log has room for. `make seeded` takes the large one too. */
const sizes =
  process.env.SEEDED === "all"
    ? ([
        [6000, 5],
        [100_000, 7],
      ] as const)
    : ([[6000, 5]] as const);

/** Every crash state is held against the model, also where the search for the blame goes back through the trace: minutes of CPU. */
const patience = { timeout: 1_800_000 };

describe("a split that spills the log", () => {
  it.each(sizes)("is found to be wrong among %i operations", patience, async (keys, room) => {
    const findings = await check(keys, ["-DBUG_SPILL", `-DROOM=${room}`]);
    const said = findings.map(({ message }) => message).join("\n");
    expect(said).toMatch(new RegExp(`exits with 3, saying "record ${room} names no node"`));
    for (const { cause } of findings) expect(functionsOf(cause)).toContain("spill");
  });
  it("is right when the record is persisted first", async () => expect(await check(6000, ["-DROOM=5"])).toEqual([]));
});
