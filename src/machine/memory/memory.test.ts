import { expect, test } from "vitest";
import { below, pick, seedRandom } from "../../base/index.ts";
import { fast, info, layout, pageSize } from "../runtime/index.ts";
import { GuestMemory, type MemorySnapshot } from "./index.ts";

const start = 0x100_0000;
const pages = 24;
/** One of the bits that are free: it stays with its page like the others. */
const freeBit = 1 << 15;

/** The slow twin: a snapshot is a copy of everything. */
function copyOf(memory: GuestMemory): string {
  const rows = [];
  for (let page = start / pageSize; page < start / pageSize + pages; page++) {
    const at = page * pageSize;
    const is = memory.infoOf(page) & (info.read | info.write | info.execute | info.persistent | freeBit);
    rows.push(`${is}:${Buffer.from(memory.bytes.subarray(at, at + pageSize)).toString("base64")}`);
  }
  return rows.join("\n");
}

/** What compiled code may do without asking is never more than the page allows. */
function expectFastWithinInfo(memory: GuestMemory): void {
  for (let page = start / pageSize - 1; page <= start / pageSize + pages; page++) {
    const may = memory.bytes[layout.pageFast + page]!;
    const [is, next] = [memory.infoOf(page), memory.infoOf(page + 1)];
    const isPlain = (bits: number) => (bits & info.read) !== 0 && (bits & info.watched) === 0;
    expect((may & fast.read) !== 0).toBe(isPlain(is) && isPlain(next));
    expect((may & fast.readAlone) !== 0).toBe(isPlain(is));
    expect((may & fast.watched) !== 0).toBe((is & info.read) !== 0 && (is & info.watched) !== 0);
    const plain = (is & info.write) !== 0 && isPlain(is) && (is & (info.clean | info.persistent)) === 0;
    expect((may & fast.write) !== 0).toBe(plain);
  }
}

test.each([1, 2, 3, 4, 5, 6])("snapshots in a tree equal copies of everything (seed %i)", (seed) => {
  const random = seedRandom(seed);
  const memory = new GuestMemory();
  const kept: { snapshot: MemorySnapshot; copy: string }[] = [];
  const anyPage = () => start + below(random, pages) * pageSize;
  const length = () => (1 + below(random, 4)) * pageSize;
  const within = (at: number, size: number) => Math.min(size, start + pages * pageSize - at);
  const steps: readonly (() => void)[] = [
    () => {
      const at = anyPage();
      memory.map(at, within(at, length()), pick(random, [1, 3, 5, 7]));
    },
    () => {
      const at = anyPage();
      memory.unmap(at, within(at, length()));
    },
    () => {
      const at = anyPage();
      memory.protect(at, within(at, length()), pick(random, [0, 1, 3, 7]));
    },
    () => memory.setBits(anyPage(), pageSize, info.persistent, below(random, 2) === 1),
    () => memory.setBits(anyPage(), pageSize, info.watched, below(random, 2) === 1),
    () => memory.setBits(anyPage(), pageSize, freeBit, below(random, 2) === 1),
    () => {
      const at = anyPage() + below(random, pageSize);
      const bytes = new Uint8Array(within(at, 1 + below(random, 6000))).fill(below(random, 256));
      const allowed = memory.canWrite(at, bytes.length);
      expect(memory.write(at, bytes)).toBe(allowed);
    },
    () => kept.push({ snapshot: memory.snapshot(), copy: copyOf(memory) }),
    () => {
      if (kept.length === 0) return;
      const { snapshot, copy } = pick(random, kept);
      memory.restore(snapshot);
      expect(copyOf(memory)).toBe(copy);
    },
    () => {
      if (kept.length < 4) return;
      const [{ snapshot }] = kept.splice(below(random, kept.length), 1) as [(typeof kept)[number]];
      memory.release(snapshot);
    },
  ];
  for (let step = 0; step < 400; step++) {
    pick(random, steps)();
    expectFastWithinInfo(memory);
  }
});

test("a fresh mapping is zero, whatever lay there before", () => {
  const memory = new GuestMemory();
  memory.map(start, pageSize, 3);
  memory.write(start, new Uint8Array([1, 2, 3]));
  memory.unmap(start, pageSize);
  memory.map(start, pageSize, 1);
  expect(memory.read(start, 3)).toEqual(new Uint8Array(3));
});

test("nothing outside the guest's range can be read or written", () => {
  const memory = new GuestMemory();
  expect(memory.canRead(layout.cpu, 8)).toBe(false);
  expect(memory.canWrite(layout.guestEnd, 1)).toBe(false);
  expect(memory.write(layout.pageFast, new Uint8Array([255]))).toBe(false);
});
