/** The buffer of events fills up at any instruction, also at one whose effect is already there: it must not run again; and a locked operation drains before its store. */
import { expect, it } from "vitest";
import {
  decodeEvent,
  type EventSink,
  Recorder,
  type TraceEvent,
  type TraceTables,
} from "../../src/trace/events/index.ts";
import { recordWords } from "../../src/trace/record/index.ts";
import { compileGuest, finish, loadGuest } from "../support/programs.ts";

it.each([0, 20])("locked operations happen once and are noted once, compiled after %i", (hotAfter) => {
  const counts = new Map<string, number>();
  let before: TraceEvent | undefined;
  let drained = 0;
  const count = (tables: TraceTables): EventSink => ({
    events: (words, first) => {
      for (let at = 0; at < words.length / recordWords; at++) {
        const event = decodeEvent(words, at, first + at, tables.texts);
        counts.set(event.kind, (counts.get(event.kind) ?? 0) + 1);
        if (event.kind === "store" && before?.kind === "locked" && before.site === event.site) drained++;
        before = event;
      }
    },
    end: () => {},
  });
  const program = compileGuest("programs/locked.c", ["-O2", "-static"]);
  const guest = loadGuest([program, "/tmp/blackout-locked.img"], {
    hotAfter,
    trace: { recorder: new Recorder([count]), annotations: false },
  });
  const { stdout } = finish(guest);
  guest.machine.endTrace();
  expect(stdout).toBe("20000 20000\n");
  expect(counts.get("store")).toBe(20_000);
  expect(drained).toBe(20_000);
  expect(counts.get("locked")).toBeGreaterThanOrEqual(40_000);
});
