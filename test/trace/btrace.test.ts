import { describe, expect, it } from "vitest";
import { below, InputError, seedRandom } from "../../src/base/index.ts";
import { ScratchFile } from "../../src/host/index.ts";
import { BtraceWriter, EventStore, readBtrace, replay, type TraceEvent } from "../../src/trace/events/index.ts";
import { pm, TraceBuilder } from "./builder.ts";
import { collector, MemoryBytes, sourceOf } from "./support.ts";

/** One event of every kind. */
const everything = () =>
  new TraceBuilder()
    .map()
    .code(0x40_0000, 0x1000, "/bin/program")
    .store(pm + 3, 0xabn, { size: 1, from: "main" })
    .store(pm + 8, 0xffff_ffff_ffff_ffffn, { from: "main" })
    .nonTemporal(pm + 64, 7n)
    .flush(pm, {}, "clflush")
    .flush(pm, {}, "clflushopt")
    .flush(pm)
    .fence()
    .fence({}, "mfence")
    .fence({}, "lfence")
    .fence({ thread: 65_535 }, "locked")
    .msync(pm, 4096)
    .add({ kind: "thread-start", parent: 1 }, { thread: 2 })
    .add({ kind: "thread-end" }, { thread: 2 })
    .add({ kind: "output", stream: 1, bytes: Uint8Array.of(104, 105, 0xff) })
    .add({ kind: "marker", text: "héllo" })
    .request("tx-add", pm, 32, { transaction: 0xdead_beef })
    .unmap()
    .add({ kind: "exit", status: 3 });

function recorded(builder = everything()): { readonly bytes: Uint8Array; readonly events: readonly TraceEvent[] } {
  const target = new MemoryBytes();
  const events: TraceEvent[] = [];
  builder.tables.sites.set(9, [
    {
      address: 9,
      function: "f",
      file: "f.c",
      line: 1,
      column: 2,
      module: undefined,
      offset: undefined,
      inlined: false,
    },
  ]);
  builder.play(collector(events), (tables) => new BtraceWriter(tables, target, () => ({ command: ["./a"], seed: 5 })));
  return { bytes: target.bytes(), events };
}

const complaint = (bytes: Uint8Array): InputError => {
  try {
    readBtrace(sourceOf(bytes), []);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error("the damage went unnoticed");
};

describe(".btrace", () => {
  it("gives back every event, table and fact", () => {
    const { bytes, events } = recorded();
    const again: TraceEvent[] = [];
    const read = readBtrace(sourceOf(bytes), [collector(again)]);
    expect(again).toEqual(events);
    expect(read.count).toBe(events.length);
    expect(read.info).toEqual({ command: ["./a"], seed: 5 });
    expect(read.tables.contexts.stack(events[2]!.stack)).toHaveLength(1);
    expect(read.tables.sites.frames(9)?.[0]?.function).toBe("f");
  });

  it("can be copied while it is read", () => {
    const { bytes, events } = recorded();
    const target = new MemoryBytes();
    const again: TraceEvent[] = [];
    readBtrace(sourceOf(bytes), [(tables) => new BtraceWriter(tables, target)]);
    readBtrace(sourceOf(target.bytes()), [collector(again)]);
    expect(again).toEqual(events);
  });

  it("names what it was given when that is no trace", () => {
    expect(complaint(new TextEncoder().encode("hello, this is some text")).message).toMatch(
      /a\.btrace is not a \.btrace file/,
    );
    expect(complaint(new Uint8Array()).code).toBe("btrace/not-a-trace");
    const { bytes } = recorded();
    bytes[8] = 9;
    expect(complaint(bytes).message).toMatch(/version 9; this Blackout reads version 2/);
  });

  it("notices every truncation", () => {
    const { bytes } = recorded();
    for (let length = 0; length < bytes.length; length++)
      expect(complaint(bytes.slice(0, length)).message).toMatch(/\.$/);
    expect(complaint(bytes.slice(0, bytes.length - 32)).message).toMatch(/no closing block/);
  });

  it("notices every changed byte", () => {
    const { bytes } = recorded();
    const seed = 11;
    const random = seedRandom(seed);
    for (let at = 16; at < bytes.length; at++) {
      const copy = bytes.slice();
      copy[at] = copy[at]! ^ (1 << below(random, 8));
      expect(complaint(copy), `seed ${seed}, byte ${at}`).toBeInstanceOf(InputError);
    }
  });

  it("notices what follows the end", () => {
    const { bytes } = recorded();
    expect(complaint(Uint8Array.from([...bytes, ...bytes.slice(16)])).message).toMatch(/follows the closing block/);
  });
});

describe("an event store", () => {
  const counted = (count: number) => {
    const builder = new TraceBuilder().map();
    for (let index = 1; index < count; index++) builder.store(pm + 8 * (index % 100), BigInt(index));
    return builder;
  };

  it.each([1, 7, 8, 9, 100])("gives back %i events, most of them from its file", (count) => {
    const spill = ScratchFile.open();
    let store: EventStore | undefined;
    const events: TraceEvent[] = [];
    counted(count).play(collector(events), (tables) => {
      store = new EventStore(tables, { memoryBytes: 400, openSpill: () => spill, chunkEvents: 8 });
      return store;
    });
    const again: TraceEvent[] = [];
    replay(store!, collector(again)(store!.tables));
    expect(again).toEqual(events);
    expect(store!.count).toBe(count);
    expect(store!.heldBytes).toBeLessThanOrEqual(400);
    expect(spill.size > 0).toBe(count > 16);
    spill.close();
  });
});
