/** Kept code makes a machine faster and nothing else: the twin is a machine that keeps none. */
import { afterEach, describe, expect, test } from "vitest";
import { noteMemories } from "../../../test/support/memories.ts";
import { compileGuest, finish, loadGuest } from "../../../test/support/programs.ts";
import { useNativeCode } from "../../base/index.ts";
import { v8NativeCode } from "../../host/index.ts";
import { Recorder } from "../../trace/events/index.ts";
import { KeptCode } from "./kept-code.ts";
import type { Lifting, MachineOptions } from "./machine-types.ts";

const counters = () => compileGuest("machine/counters.c", ["-O2", "-pthread"]);
const mixed = () => compileGuest("machine/mixed.c");
const rewriting = () => compileGuest("machine/rewriting.c");

/** As a file would carry them. */
const stored = (code: KeptCode): KeptCode => KeptCode.from(new Uint8Array(Buffer.concat(code.toParts())))!;
const keeping = (code: KeptCode): Partial<MachineOptions> => ({ keptCode: () => code });

describe.each([
  ["interpreted", { hotAfter: 0 }],
  ["compiled", { hotAfter: 300 }],
] as const)("%s", (_, tier) => {
  test.each([
    ["counters", counters],
    ["mixed", mixed],
    ["rewriting", rewriting],
  ])(
    "%s runs the same with nothing kept, with what it makes itself and with what an earlier run made",
    (_, program) => {
      const alone = finish(loadGuest([program()], tier));
      const code = new KeptCode();
      expect(finish(loadGuest([program()], { ...tier, ...keeping(code) }))).toEqual(alone);
      expect(code.blocks.added).toBeGreaterThan(1000);
      expect(code.regions.added > 0).toBe(tier.hotAfter > 0);
      expect(finish(loadGuest([program()], { ...tier, ...keeping(code) }))).toEqual(alone);
      const later = stored(code);
      const guest = loadGuest([program()], { ...tier, ...keeping(later) });
      expect(finish(guest)).toEqual(alone);
      expect(later.blocks.added).toBe(0);
      expect(later.regions.added).toBeLessThanOrEqual(guest.machine.statistics().regions / 4);
    },
  );
});

describe("machine code of regions", () => {
  const hot = { hotAfter: 300 };
  const native = v8NativeCode("all")!;
  afterEach(() => useNativeCode(undefined));

  /** What a first run leaves, and how the second one that begins with it ends. */
  function twice(program: string, loaded: (module: WebAssembly.Module | undefined) => WebAssembly.Module | undefined) {
    const code = new KeptCode();
    useNativeCode(native);
    finish(loadGuest([program], { ...hot, ...keeping(code) }));
    code.takeNativeCode();
    let loads = 0;
    useNativeCode({
      save: () => undefined,
      load: (code, bytes) => {
        loads++;
        return loaded(native.load(code, bytes));
      },
    });
    return { finished: finish(loadGuest([program], { ...hot, ...keeping(stored(code)) })), loads };
  }

  test.each([
    ["counters", counters],
    ["mixed", mixed],
    ["rewriting", rewriting],
  ])("%s runs the same with what an earlier run left", (_, program) => {
    const { finished, loads } = twice(program(), (module) => {
      expect(module).toBeDefined();
      return module;
    });
    expect(loads).toBeGreaterThan(3);
    expect(finished).toEqual(finish(loadGuest([program()], hot)));
  });

  test("is done without if the engine refuses it", () => {
    const { finished, loads } = twice(mixed(), () => undefined);
    expect(loads).toBeGreaterThan(3);
    expect(finished).toEqual(finish(loadGuest([mixed()], hot)));
  });

  test("of another version of the engine is refused", () => {
    const bytes = new Uint8Array([
      0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 0x66, 0, 0, 10, 4, 1, 2, 0, 11,
    ]);
    const module = new WebAssembly.Module(bytes);
    const code = native.save(module, new WebAssembly.Instance(module).exports.f)!;
    code[5]! ^= 1;
    expect(native.load(code, new Uint8Array([...bytes, 0, 1, 0]))).toBeUndefined();
  });
});

test("what is kept of an ended machine does not hold its memory", async () => {
  const code = new KeptCode();
  const memories = noteMemories();
  try {
    finish(loadGuest([mixed()], { hotAfter: 300, ...keeping(code) }));
    expect([memories.made, code.regions.added > 3]).toEqual([1, true]);
    expect(await memories.alive()).toBe(0);
  } finally {
    memories.end();
  }
});

test("code of which there are more kinds than are kept is translated each time", () => {
  const code = new KeptCode();
  finish(loadGuest([rewriting()], keeping(code)));
  expect(code.blocks.refused).toBeGreaterThan(0);
});

test("what another program left is used only where its code is there too", () => {
  const hot = { hotAfter: 300 };
  const alone = finish(loadGuest([mixed()], hot));
  const code = new KeptCode();
  finish(loadGuest([counters()], { ...hot, ...keeping(code) }));
  const foreign = stored(code);
  expect(finish(loadGuest([mixed()], { ...hot, ...keeping(foreign) }))).toEqual(alone);
  expect(foreign.blocks.added).toBeGreaterThan(0);
});

describe("kept code does not run past an address to stop at", () => {
  const { machine } = loadGuest([mixed()]);
  const main = machine.symbol("main")!;
  machine.stopAt([main]);
  machine.run();
  machine.run(2);
  const inside = machine.rip;
  machine.run(50_000);
  const deep = machine.rip;
  test.each([
    ["at a block's start", main],
    ["in a block", inside],
    ["in a region", deep],
  ])("%s", (_, address) => {
    const [code, hot] = [new KeptCode(), { hotAfter: 300 }];
    finish(loadGuest([mixed()], { ...hot, ...keeping(code) }));
    const [slow, fast] = [loadGuest([mixed()], { hotAfter: 0 }), loadGuest([mixed()], { ...hot, ...keeping(code) })];
    for (let round = 0; round < 5; round++) {
      const [expected, found] = [slow, fast].map(({ machine }) => {
        machine.stopAt([address]);
        const result = machine.run();
        return { result, instructions: machine.instructions, digest: machine.digest() };
      });
      expect(found).toEqual(expected);
    }
  });
});

test("each way of lifting has code of its own", () => {
  const asked: Lifting[] = [];
  const keptCode = (lifting: Lifting) => {
    asked.push(lifting);
    return new KeptCode();
  };
  const recorder = () => new Recorder([]);
  loadGuest([mixed()], { keptCode });
  loadGuest([mixed()], { keptCode, trace: { recorder: recorder(), annotations: false } });
  loadGuest([mixed()], { keptCode, cpu: "v2" });
  expect(asked).toEqual(["plain-v3", "traced-v3", "plain-v2"]);
});

test("bytes that hold nothing of the kind are refused", () => {
  expect(KeptCode.from(new Uint8Array(8))).toBeUndefined();
  expect(KeptCode.from(new Uint8Array(64).fill(7))).toBeUndefined();
});
