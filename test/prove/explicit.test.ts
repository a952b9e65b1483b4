/** All schedules gone through one by one, against the tables of the proofs: functions of binaries, each right and with a mistake. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allSchedules, ProgramCode, runToMain } from "../../src/engines/index.ts";
import { px86, withPlatform } from "../../src/model/pmem/index.ts";
import { compileGuest, loadGuest } from "../support/programs.ts";
import { callOf, publishRows, sizesRows } from "./rows.ts";

const states = 200_000;

describe.each(["-O0", "-O2"])("compiled with %s", (level) => {
  describe.each([
    ["prove/publish.c", publishRows],
    ["prove/sizes.c", sizesRows],
  ] as const)("%s", (source, rows) => {
    const path = compileGuest(source, [level, "-g"]);
    const { machine } = loadGuest([path]);
    const code = new ProgramCode(machine, readFileSync(path), path);
    runToMain(machine);
    const explore = (threads: string, recover: string, reduce: boolean, model = px86) => {
      const question = { code, port: machine.port, threads: threads.split(" ").map(callOf), recover: callOf(recover) };
      return allSchedules({ question, model, states, reduce, alarm: () => {} });
    };

    test.each(rows)("%s, then %s: %s", (threads, recover, answer) => {
      // A thread that only waits is a circle among states: no bound is needed.
      const expected = answer === "safe up to the bound" ? "safe" : answer;
      const reduced = explore(threads, recover, true);
      expect(reduced.answer).toBe(expected);
      const whole = explore(threads, recover, false);
      expect(whole.answer).toBe(expected);
      expect(reduced.states).toBeLessThanOrEqual(whole.states);
    });

    if (source === "prove/publish.c")
      test("with eADR what is visible survives", () => {
        const eadr = withPlatform(px86, "eadr");
        expect(explore("write_data_unflushed", "flag_has_data", true, eadr).answer).toBe("safe");
        expect(explore("write_data_unflushed read_flag", "seen_has_data", true, eadr).answer).toBe("safe");
      });
  });
});
