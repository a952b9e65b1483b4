/** Allocated blocks, against counting page by page. */
import { expect, test } from "vitest";
import { below, seedRandom } from "../../base/index.ts";
import { allocatedBlocks } from "./extents.ts";
import { addRange, inRanges } from "./ranges.ts";
import type { FileInode, PageRange } from "./state.ts";
import { get, type Versioned, Versions } from "./versions.ts";

const pageBytes = 4096;
const blockBytes = 512;
const most = 2100;

test.each([1, 2, 3, 4])("a page counts once, whoever has it (seed %i)", (seed) => {
  const random = seedRandom(seed);
  for (let round = 0; round < 200; round++) {
    const versions = new Versions();
    const pages = versions.table<Versioned>();
    const size = 1 + below(random, most);
    for (let n = below(random, 40); n > 0; n--) versions.set(pages, below(random, size), { epoch: versions.epoch });
    const lower = below(random, 2) * below(random, size);
    const some = (from: number, to: number): readonly PageRange[] => {
      let ranges: readonly PageRange[] = [];
      for (let n = below(random, 4); n > 0 && from < to; n--) {
        const begin = from + below(random, to - from);
        ranges = addRange(ranges, begin, begin + 1 + below(random, to - begin));
      }
      return ranges;
    };
    const [holes, reserved] = [some(0, lower), some(lower, size)];
    let counted = 0;
    for (let page = 0; page < size; page++)
      if (get(pages, page) !== undefined || (page < lower && !inRanges(holes, page)) || inRanges(reserved, page))
        counted++;
    const file = { pages, lowerSize: lower * pageBytes, holes, reserved } as unknown as FileInode;
    expect(allocatedBlocks(file), `round ${round}`).toBe((counted * pageBytes) / blockBytes);
  }
});
