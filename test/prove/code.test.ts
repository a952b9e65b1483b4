/** Functions of binaries as threads: protocols that are right and wrong, unoptimised and optimised, by both crash encodings. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { callBeforeMain, ProgramCode, proveCode, runToMain } from "../../src/engines/index.ts";
import { px86, withPlatform } from "../../src/model/pmem/index.ts";
import { startZ3 } from "../../src/smt/index.ts";
import { compileGuest, loadGuest } from "../support/programs.ts";
import { callOf, publishRows, sizesRows } from "./rows.ts";

let start: Awaited<ReturnType<typeof startZ3>>;
beforeAll(async () => {
  start = await startZ3();
});

function proverOf(source: string, level: string) {
  const path = compileGuest(source, [level, "-g"]);
  const { machine } = loadGuest([path]);
  const code = new ProgramCode(machine, readFileSync(path), path);
  runToMain(machine);
  const prove = (threads: string, recover: string, encoding: "full" | "partial", model = px86) => {
    const question = { code, port: machine.port, threads: threads.split(" ").map(callOf), recover: callOf(recover) };
    return proveCode({ question, bound: undefined, model, encoding }, { start, alarm: () => {} });
  };
  return { path, code, prove };
}

describe.each(["-O0", "-O2"])("accesses of different sizes and threads that fail, compiled with %s", (level) => {
  const { code, prove } = proverOf("prove/sizes.c", level);

  test.each(sizesRows)(
    "%s, then %s: %s",
    (threads, recover, answer) => {
      for (const encoding of ["full", "partial"] as const)
        expect(prove(threads, recover, encoding).answer, encoding).toBe(answer);
    },
    60_000,
  );

  test("what fails in a thread is named", () => {
    const failed = (threads: string) => prove(threads, "nothing_is_wrong", "full").places;
    expect(failed("flag_then_data assert_data")).toMatchObject([{ why: "an assertion fails" }]);
    const [place] = failed("flag_then_place follow_place");
    expect(place!.why).toBe("an access to memory that is not mapped");
    expect(code.describe(place!.at)).toMatch(/^follow_place \(sizes\.c:\d+\)$/);
  });
});

describe.each(["-O0", "-O2"])("compiled with %s", (level) => {
  const { path, code, prove } = proverOf("prove/publish.c", level);

  test.each(publishRows)(
    "%s, then %s: %s",
    (threads, recover, answer) => {
      for (const encoding of ["full", "partial"] as const)
        expect(prove(threads, recover, encoding).answer, encoding).toBe(answer);
    },
    120_000,
  );

  test("with eADR what is visible survives", () => {
    const eadr = withPlatform(px86, "eadr");
    expect(prove("write_data_unflushed", "flag_has_data", "full", eadr).answer).toBe("safe");
    expect(prove("publish_unflushed(0)", "head_is_whole", "full", eadr).answer).toBe("safe");
  });

  test("a loop that a bound cuts off is told, and a proof has all that it needs", () => {
    const { places, claim } = prove("write_data wait_for_flag", "seen_has_data", "full");
    expect(places).toEqual([{ at: expect.any(Number), why: "a loop" }]);
    expect(code.describe(places[0]!.at)).toMatch(/^wait_for_flag \(publish\.c:\d+\)$/);
    expect(claim?.claim).toContain("8 times at most");
    expect(claim?.refutations).toHaveLength(2);
  });

  test("a function that runs first makes what threads start with", () => {
    const other = loadGuest([path]).machine;
    const codeThere = new ProgramCode(other, readFileSync(path), path);
    runToMain(other);
    callBeforeMain(other, "start_with_seen", codeThere.named("start_with_seen")!);
    const question = {
      ...{ code: codeThere, port: other.port },
      ...{ threads: [callOf("write_flushes_perhaps")], recover: callOf("flag_has_data") },
    };
    const options = { question, bound: undefined, model: px86, encoding: "full" as const };
    expect(proveCode(options, { start, alarm: () => {} }).answer).toBe("safe");
  });
});
