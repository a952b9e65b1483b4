import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { compileGuest, finish, loadGuest } from "../../../test/support/programs.ts";

const mixed = () => compileGuest("machine/mixed.c");
const counters = () => compileGuest("machine/counters.c", ["-O2", "-pthread"]);

describe("a program in the machine", () => {
  test("prints what it prints natively and ends as it ends natively", () => {
    const native = spawnSync(mixed(), { encoding: "utf8" });
    const { outcome, stdout } = finish(loadGuest([mixed()]));
    expect(stdout).toBe(native.stdout);
    expect(outcome).toEqual({ kind: "exit", code: native.status });
  });

  test("is the same run again, to the last instruction and byte", () => {
    const [first, second] = [finish(loadGuest([counters()])), finish(loadGuest([counters()]))];
    expect(second).toEqual(first);
    expect(first.stdout).toContain("guarded 20000 shared 20000 sum 100");
  });

  test("runs its threads in another order with another seed", () => {
    const orders = new Set([0, 1, 2, 3].map((seed) => finish(loadGuest([counters()], { seed })).stdout));
    expect(orders.size).toBeGreaterThan(1);
  });
});

describe("the two tiers", () => {
  for (const [name, program] of [
    ["mixed", mixed],
    ["counters", counters],
  ] as const)
    test(`agree on ${name}, state by state`, () => {
      const interpreted = loadGuest([program()], { hotAfter: 0 });
      const compiled = loadGuest([program()], { hotAfter: 3 });
      for (let step = 0; ; step++) {
        const count = 1 + ((step * 7919) % 50_000);
        const [left, right] = [interpreted.machine.run(count), compiled.machine.run(count)];
        expect(right).toEqual(left);
        expect(compiled.machine.digest()).toBe(interpreted.machine.digest());
        if (left.kind === "ended") break;
      }
      expect(compiled.output(1)).toBe(interpreted.output(1));
      expect(compiled.machine.instructions).toBe(interpreted.machine.instructions);
      expect(compiled.machine.statistics().regions).toBeGreaterThan(0);
    });
});

describe("snapshots", () => {
  test("restore the whole process: the run goes on as it did, as often as asked", () => {
    const straight = finish(loadGuest([counters()]));
    const guest = loadGuest([counters()]);
    const { machine } = guest;
    machine.run(150_000);
    const snapshot = machine.snapshot();
    const there = machine.digest();
    for (let round = 0; round < 3; round++) {
      expect(finish(guest)).toEqual(straight);
      machine.restore(snapshot);
      expect(machine.digest()).toBe(there);
    }
  });

  test("nest, and are restored in any order", () => {
    const guest = loadGuest([mixed()]);
    const { machine } = guest;
    const taken = [];
    for (let i = 0; i < 12; i++) {
      taken.push({ snapshot: machine.snapshot(), digest: machine.digest(), at: machine.instructions });
      machine.run(40_000);
    }
    const end = finish(guest);
    for (const i of [3, 11, 0, 7, 7, 2, 10, 5]) {
      const { snapshot, digest, at } = taken[i]!;
      machine.restore(snapshot);
      expect(machine.digest()).toBe(digest);
      expect(machine.instructions).toBe(at);
    }
    expect(finish(guest)).toEqual(end);
  });
});

describe("stopping at an address", () => {
  test("comes before the instruction there runs, every time", () => {
    const program = compileGuest("machine/mixed.c", ["-O2", "-static", "-fno-pie", "-no-pie"]);
    const symbols = execFileSync("nm", [program], { encoding: "utf8" });
    const address = Number.parseInt(/^(\w+) t by_value$/m.exec(symbols)![1]!, 16);
    const guest = loadGuest([program]);
    guest.machine.stopAt([address]);
    let calls = 0;
    while (guest.machine.run().kind === "address") {
      expect(guest.machine.rip).toBe(address);
      calls++;
    }
    expect(calls).toBeGreaterThan(5000);
  });
});
