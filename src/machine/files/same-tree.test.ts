/** Trees that differ only in who holds their files are the same; keys that differ are those that plain comparison finds. */
import { expect, test } from "vitest";
import { makeFiles } from "../../../test/files/support.ts";
import { below, seedRandom } from "../../base/index.ts";
import { MemoryFiles } from "../../host/index.ts";
import { isSameTree } from "./same-tree.ts";
import { differingKeys, get, type Versioned, Versions } from "./versions.ts";

test("opening and mapping a file leaves the tree the same, writing does not", () => {
  const { files } = makeFiles(new MemoryFiles({ "/tmp": { directory: true } }));
  files.writeFile("/tmp/pool", new Uint8Array(8192));
  const before = files.snapshot();
  const descriptor = files.open(-100, "/tmp/pool", 2, 0);
  expect(descriptor).toBeGreaterThan(2);
  expect(isSameTree(before, files.snapshot())).toBe(true);
  files.write(descriptor, new Uint8Array([1]), 4096);
  expect(isSameTree(before, files.snapshot())).toBe(false);
});

const seed = 9;
test(`keys that differ (seed ${seed})`, () => {
  const random = seedRandom(seed);
  for (let round = 0; round < 50; round++) {
    const versions = new Versions();
    const before = versions.table<Versioned>();
    const change = (table: typeof before, most: number) => {
      for (let i = below(random, 40); i > 0; i--) {
        const key = below(random, most);
        if (below(random, 3) === 0) versions.delete(table, key);
        else versions.set(table, key, { epoch: versions.epoch });
      }
    };
    change(before, 100);
    versions.advance();
    const after = versions.own(before);
    change(after, round % 2 === 0 ? 100 : 3000);
    const plainly = Array.from({ length: 3000 }, (_, key) => key).filter((key) => get(before, key) !== get(after, key));
    const found = differingKeys(before, after).filter((key) => get(before, key) !== get(after, key));
    expect(found.toSorted((a, b) => a - b)).toEqual(plainly);
    if (before.height === after.height) expect(found.length).toBe(differingKeys(before, after).length);
  }
});
