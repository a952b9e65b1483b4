/** Threads under schedules: TSO for ordinary memory, and the same run again from its choices. */
import { describe, expect, test } from "vitest";
import { compileGuest, finish, type Guest, loadGuest } from "../../../test/support/programs.ts";
import { collector } from "../../../test/trace/support.ts";
import { Recorder, type TraceEvent } from "../../trace/events/index.ts";
import type { ScheduleOptions } from "../schedule/index.ts";

const program = compileGuest("schedules/volatile.c", ["-O1", "-static", "-pthread"]);
const persistent = compileGuest("schedules/handover.c", ["-O1", "-static", "-pthread"]);

function load(command: readonly string[], schedule: ScheduleOptions | undefined, hotAfter = 0) {
  const events: TraceEvent[] = [];
  const trace = { recorder: new Recorder([collector(events)]), annotations: false };
  const guest: Guest = loadGuest(command, { hotAfter, trace, schedule });
  return { guest, events };
}

/** How the guest exits, from its beginning, under one schedule after another. */
function exitCodes(seeds: number): ReadonlySet<number> {
  const { machine } = load([program], { seed: 0 }).guest;
  machine.stopAt([machine.symbol("main")!]);
  machine.run();
  machine.stopAt([]);
  const start = machine.snapshot();
  const codes = new Set<number>();
  for (let seed = 1; seed <= seeds; seed++) {
    machine.scheduleBy({ seed });
    const result = machine.run();
    if (result.kind !== "ended" || result.outcome.kind !== "exit") throw new Error(`seed ${seed}: it exits`);
    codes.add(result.outcome.code);
    machine.restore(start);
  }
  return codes;
}

test("store buffering shows under some schedule, and message passing is never violated", () => {
  const codes = [...exitCodes(150)];
  expect(new Set(codes.map((code) => code & 3))).toEqual(new Set([0, 1, 2, 3]));
  expect(new Set(codes.map((code) => code >> 2))).toEqual(new Set([0, 2, 3]));
});

describe("the same run", () => {
  const pool = "/tmp/pool-of-handover";
  const whole = ({ guest, events }: ReturnType<typeof load>) => {
    const { digest, outcome, instructions } = finish(guest);
    guest.machine.endTrace();
    return { digest, outcome, instructions, events, ...guest.machine.scheduled };
  };

  test.each([1, 2, 3, 4, 5, 6])("from its choices, in both tiers: seed %i", (seed) => {
    const command = [persistent, pool];
    const first = whole(load(command, { seed }));
    expect(first.outcome).toEqual({ kind: "exit", code: 0 });
    expect(first.choices.length).toBeGreaterThan(4);
    for (const hotAfter of [0, 20]) {
      expect(whole(load(command, { seed }, hotAfter))).toEqual(first);
      expect(whole(load(command, { choices: first.choices }, hotAfter))).toEqual(first);
    }
  });

  test("choices of another program do not fit", () => {
    const { choices } = whole(load([program], { seed: 3 }));
    const moved = choices.map((choice) => ({ ...choice, thread: choice.thread + 7 }));
    expect(whole(load([persistent, pool], { choices: moved })).misfit).toBe(1);
  });
});
