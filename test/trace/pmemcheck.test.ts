import { describe, expect, it } from "vitest";
import { InputError } from "../../src/base/index.ts";
import {
  type Frame,
  PmemcheckLog,
  parsePmemcheckLog,
  type TraceEvent,
  type TraceTables,
} from "../../src/trace/events/index.ts";
import { pm, TraceBuilder } from "./builder.ts";
import { collector } from "./support.ts";

const log =
  "START|REGISTER_FILE;/mnt/pmem/pool;0x7f0000200000;0x200000;0x0" +
  "|STORE;0x7f0000200040;0x2a;0x8;0x1091F3: insert (list.c:31);0x10928A: main (list.c:58)" +
  "|STORE;0x7f0000200048;0xffffffffffffffff;0x8;0x1091F3: insert (list.c:31)0x1091F3: put (list.h:4);0x10928A: main (list.c:58)" +
  "|pmemobj_tx.BEGIN|FLUSH;0x7f0000200040;0x8|FLUSH;0x7f0000200070;0x20|FENCE" +
  "|STORE;0x1ffefff000;0x1;0x1;0x4A2F0: ??? (in /usr/lib/libc.so.6)|STOP\n";

const framesFrom =
  (tables: TraceTables) =>
  (site: number, stack: number): readonly Frame[] =>
    [site, ...tables.contexts.stack(stack)].flatMap((at) => tables.sites.frames(at) ?? []);

/** Reads a log and prints it again. */
function again(text: string): string {
  let printed = "";
  const write = (part: string) => {
    printed += part;
  };
  parsePmemcheckLog("log", text, [(tables) => new PmemcheckLog(tables, { write, frames: framesFrom(tables) })]);
  return printed;
}

const complaint = (text: string): string => {
  try {
    parsePmemcheckLog("log", text, []);
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  throw new Error("the damage went unnoticed");
};

describe("pmemcheck's log", () => {
  it("is read with its frames, inlined ones too", () => {
    const events: TraceEvent[] = [];
    const { tables } = parsePmemcheckLog("log", log, [collector(events)]);
    expect(events.map(({ kind }) => kind)).toEqual([
      "map",
      "store",
      "store",
      "marker",
      "clwb",
      "clwb",
      "clwb",
      "sfence",
      "store",
    ]);
    const [map, first, second] = events;
    expect(map).toMatchObject({ path: "/mnt/pmem/pool", length: 0x20_0000, persistent: true });
    expect(first).toMatchObject({ value: 42n, size: 8 });
    expect(tables.original((first as TraceEvent & { address: number }).address)).toBe(0x7f0000200040);
    const frames = framesFrom(tables)(second!.site, second!.stack);
    expect(frames.map((frame) => [frame.function, frame.line, frame.inlined])).toEqual([
      ["insert", 31, true],
      ["put", 4, false],
      ["main", 58, false],
    ]);
  });

  it("is printed as it was read", () => expect(again(log)).toBe(log));
  it("may be empty", () => expect(again("START|STOP\n")).toBe("START|STOP\n"));

  it("is found between Valgrind's own messages", () => {
    const noisy = `==12== pmemcheck-1.0\n==12== \n${log.replace("|FENCE", "|FENCE\n==12== a warning")}==12== bye\n`;
    expect(again(noisy)).toBe(log);
  });

  it("splits stores that cross an aligned eight bytes", () => {
    const events: TraceEvent[] = [];
    parsePmemcheckLog("log", "START|STORE;0x1006;0x1122334455667788;0x8|STOP", [collector(events)]);
    expect(events).toMatchObject([
      { size: 2, value: 0x7788n },
      { size: 6, value: 0x112233445566n },
    ]);
  });

  it("is written from a trace of ours and read back", () => {
    let text = "";
    const builder = new TraceBuilder()
      .map()
      .store(pm + 8, 5n)
      .flush(pm + 8)
      .fence()
      .nonTemporal(pm + 64, 6n)
      .fence({}, "mfence");
    builder.play(
      (tables) =>
        new PmemcheckLog(tables, {
          write: (part) => {
            text += part;
          },
          frames: framesFrom(tables),
        }),
    );
    expect(text).toBe(
      "START|REGISTER_FILE;/pm/pool;0x100000;0x10000;0x0|STORE;0x100008;0x5;0x8|FLUSH;0x100000;0x40|FENCE" +
        "|STORE;0x100040;0x6;0x8|FLUSH;0x100040;0x8|FENCE|STOP\n",
    );
    expect(again(text)).toBe(text);
  });

  it.each([
    ["", /no START/],
    ["hello", /no START/],
    ["START|STORE;0x1000;0x1;0x8", /truncated/],
    ["START", /truncated/],
    ["START|STORE;0x1000;zz;0x8|STOP", /entry 1 is "STORE;0x1000;zz;0x8"/],
    ["START|FENCE|STORE;0x1000;0x1;0x0|STOP", /entry 2/],
    ["START|STORE;0x1000;0x1;0x8;nonsense|STOP", /corrupt/],
    ["START|REGISTER_FILE;/a;0x0;0x100000000;0x0|STOP", /4 GiB/],
    ["START|FLUSH;0x10|STOP", /corrupt/],
  ])("says what is wrong with %j", (text, message) => expect(complaint(text)).toMatch(message));
});
