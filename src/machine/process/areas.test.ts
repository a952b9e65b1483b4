/** The list of mappings against an array with one slot per page. */
import { expect, test } from "vitest";
import { below, seedRandom } from "../../base/index.ts";
import type { InodeId } from "../files/index.ts";
import { type Area, areaAt, covers, highestGap, isFree, listAreas, noAreas, piecesIn, replace } from "./areas.ts";

const PAGE = 4096;
/** Enough for several leaves. */
const PAGES = 400;
const seed = 20_240_501;

const area = (start: number, end: number, protection: number, inode?: number, offset = 0): Area => ({
  start,
  end,
  protection,
  ceiling: 7,
  shared: false,
  file: inode === undefined ? undefined : { inode: inode as InodeId, offset },
  name: undefined,
  persistent: false,
  watched: false,
});

/** What a page of an area is: its protection and the file page it shows. */
const describe = (found: Area | undefined, address: number) =>
  found && `${found.protection}:${found.file && `${found.file.inode}@${found.file.offset + address - found.start}`}`;

test(`random replacements agree with a page table (seed ${seed})`, () => {
  const random = seedRandom(seed);
  let areas = noAreas;
  let most = 0;
  const table = new Array<string | undefined>(PAGES).fill(undefined);
  for (let step = 0; step < 2000; step++) {
    const first = below(random, PAGES);
    const count = 1 + below(random, Math.min(below(random, 100) === 0 ? 200 : 3, PAGES - first));
    const [start, end] = [first * PAGE, (first + count) * PAGE];
    const remove = below(random, 3) === 0;
    const fresh = below(random, 2)
      ? area(start, end, below(random, 3), 1 + below(random, 2), start)
      : area(start, end, 3);
    areas = replace(areas, start, end, remove ? [] : [fresh]);
    for (let page = first; page < first + count; page++) {
      table[page] = remove ? undefined : describe(fresh, page * PAGE);
    }
    const seen = table.map((_, page) => describe(areaAt(areas, page * PAGE), page * PAGE));
    expect(seen, `step ${step}`).toEqual(table);
    const list = listAreas(areas);
    expect(list.every(({ start }, i) => i === 0 || list[i - 1]!.end <= start)).toBe(true);
    expect(areas.count).toBe(list.length);
    expect(areas.bytes).toBe(table.filter((slot) => slot !== undefined).length * PAGE);
    expect(areas.leaves.every(({ areas }) => areas.length > 0 && areas.length <= 32)).toBe(true);
    most = Math.max(most, areas.leaves.length);
    expect(covers(areas, start, end)).toBe(!remove);
    expect(isFree(areas, start, end)).toBe(remove);
    const length = (1 + below(random, 5)) * PAGE;
    expect(highestGap(areas, 0, PAGES * PAGE, length)).toBe(slowGap(table, length / PAGE));
  }
  expect(most).toBeGreaterThan(2);
});

function slowGap(table: readonly (string | undefined)[], count: number): number | undefined {
  for (let first = PAGES - count; first >= 0; first--) {
    if (table.slice(first, first + count).every((slot) => slot === undefined)) return first * PAGE;
  }
  return undefined;
}

test("neighbours that continue one file become one area", () => {
  const one = replace(noAreas, 0, PAGE, [area(0, PAGE, 1, 5, 0)]);
  const areas = replace(one, PAGE, 2 * PAGE, [area(PAGE, 2 * PAGE, 1, 5, PAGE)]);
  expect(listAreas(areas)).toEqual([area(0, 2 * PAGE, 1, 5, 0)]);
  const apart = replace(one, PAGE, 2 * PAGE, [area(PAGE, 2 * PAGE, 1, 5, 0)]);
  expect(apart.count).toBe(2);
});

test("a piece cut from the middle of a file mapping knows its offset", () => {
  const areas = replace(noAreas, 0, 8 * PAGE, [area(0, 8 * PAGE, 1, 5, PAGE)]);
  const [piece] = piecesIn(areas, 2 * PAGE, 3 * PAGE);
  expect(piece).toEqual(area(2 * PAGE, 3 * PAGE, 1, 5, 3 * PAGE));
});
