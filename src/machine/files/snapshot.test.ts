/** Snapshots: restorable any number of times, in any order, plain data, and cheap. */
import { expect, test } from "vitest";
import { type Operation, perform, randomOperation } from "../../../test/files/operations.ts";
import { bytes, makeFiles, text } from "../../../test/files/support.ts";
import { seedRandom } from "../../base/index.ts";
import { MemoryFiles } from "../../host/index.ts";
import { AT, type GuestFiles, O } from "./index.ts";

const tree = {
  "/low": "lower file contents",
  "/sub/b": "below",
  "/sub/a": { directory: true },
  "/e": { link: "sub" },
} as const;

const run = (files: GuestFiles, operations: readonly Operation[]): readonly string[] =>
  operations.map((operation) => perform(files, operation));

const script = (seed: number, length: number): readonly Operation[] => {
  const random = seedRandom(seed);
  return Array.from({ length }, () => randomOperation(random, { absolute: true, holes: true }));
};

test("the same calls after a restore give the same answers, nested and in any order", () => {
  for (let seed = 0; seed < 15; seed++) {
    const { files } = makeFiles(new MemoryFiles(tree), { now: () => 5n });
    run(files, script(seed, 100));
    const outer = files.snapshot();
    const first = run(files, script(seed + 1000, 100));
    const inner = files.snapshot();
    const second = run(files, script(seed + 2000, 100));
    const order = [outer, inner, outer, outer, inner];
    for (const snapshot of order) {
      files.restore(snapshot);
      const isOuter = snapshot === outer;
      const again = run(files, script(isOuter ? seed + 1000 : seed + 2000, 100));
      expect(again, `seed ${seed}`).toEqual(isOuter ? first : second);
    }
  }
});

test("a snapshot is plain data: it survives being copied to another worker", () => {
  const { files } = makeFiles(new MemoryFiles(tree), { now: () => 5n });
  run(files, script(7, 200));
  const snapshot = files.snapshot();
  const expected = run(files, script(8, 200));
  const elsewhere = makeFiles(new MemoryFiles(tree), { now: () => 5n }).files;
  elsewhere.restore(structuredClone(snapshot));
  expect(run(elsewhere, script(8, 200))).toEqual(expected);
});

test("a kept snapshot does not see later writes, and only touched pages are copied", () => {
  const { files } = makeFiles(new MemoryFiles(tree));
  const fd = files.open(AT.FDCWD, "/big", O.CREAT | O.RDWR, 0o600);
  files.write(fd, new Uint8Array(4 << 20).fill(1));
  const before = files.snapshot();
  files.write(fd, bytes("changed"), 8192);
  const after = files.snapshot();
  expect(sharedPages(before, after)).toBe(1023);
  files.restore(before);
  const into = new Uint8Array(7);
  files.read(fd, into, 8192);
  expect([...into]).toEqual([1, 1, 1, 1, 1, 1, 1]);
  files.restore(after);
  files.read(fd, into, 8192);
  expect(text(into)).toBe("changed");
});

/** Counts page arrays that two snapshots have in common. */
function sharedPages(a: unknown, b: unknown): number {
  const pagesOf = (root: unknown): Set<Uint8Array> => {
    const found = new Set<Uint8Array>();
    const visit = (value: unknown): void => {
      if (value instanceof Uint8Array) found.add(value);
      else if (value instanceof Map) for (const item of value.values()) visit(item);
      else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) visit(item);
    };
    visit(root);
    return found;
  };
  const ofB = pagesOf(b);
  return [...pagesOf(a)].filter((page) => page.length === 4096 && ofB.has(page)).length;
}

test("standard input is read again after a restore, and output tells its offset", () => {
  const { files, output } = makeFiles(new MemoryFiles(tree));
  const into = new Uint8Array(5);
  files.write(1, bytes("one"));
  const snapshot = files.snapshot();
  expect(files.read(0, into)).toBe(5);
  expect(text(into)).toBe("typed");
  files.write(1, bytes("two"));
  files.restore(snapshot);
  files.read(0, into);
  expect(text(into)).toBe("typed");
  files.write(1, bytes("two"));
  expect(output).toEqual([
    { stream: 1, offset: 0, text: "one" },
    { stream: 1, offset: 3, text: "two" },
    { stream: 1, offset: 3, text: "two" },
  ]);
});
