/** The views of files against an array with one slot per page, and made anew. */
import { expect, test } from "vitest";
import { below, seedRandom } from "../../base/index.ts";
import type { InodeId } from "../files/index.ts";
import { type Area, listAreas, noAreas, piecesIn, replace } from "./areas.ts";
import { type FileView, FileViews } from "./file-views.ts";

const PAGE = 4096;
const PAGES = 120;
const seed = 20_261_117;
const inodes = [1, 2] as InodeId[];

interface Slot {
  readonly inode: InodeId;
  readonly shared: boolean;
  readonly offset: number;
}

/** Pages that go on where the one before ended are one view. */
function slowViews(table: readonly (Slot | undefined)[], inode: InodeId): readonly FileView[] {
  const views: FileView[] = [];
  for (const [page, slot] of table.entries()) {
    if (slot?.inode !== inode) continue;
    const [start, end] = [page * PAGE, (page + 1) * PAGE];
    const last = views.at(-1);
    const goesOn =
      last?.end === start && last.shared === slot.shared && last.offset + (start - last.start) === slot.offset;
    if (goesOn) views[views.length - 1] = { ...last, end };
    else views.push({ start, end, shared: slot.shared, offset: slot.offset });
  }
  return views;
}

test(`views follow mapping, unmapping and protecting (seed ${seed})`, () => {
  const random = seedRandom(seed);
  const views = new FileViews();
  const table = new Array<Slot | undefined>(PAGES).fill(undefined);
  let areas = noAreas;
  for (let step = 0; step < 3000; step++) {
    const first = below(random, PAGES);
    const count = 1 + below(random, Math.min(8, PAGES - first));
    const [start, end] = [first * PAGE, (first + count) * PAGE];
    const gone = piecesIn(areas, start, end);
    const before = areas;
    const what = below(random, 3);
    if (what === 0) {
      const protection = below(random, 3);
      areas = gone.reduce((all, piece) => replace(all, piece.start, piece.end, [{ ...piece, protection }]), areas);
      views.protected(before, areas);
    } else {
      const file = below(random, 4) === 0 ? undefined : { inode: inodes[below(random, 2)]!, offset: start };
      const shape = { protection: 3, ceiling: 7, name: undefined, persistent: false, watched: false };
      const area: Area = { start, end, shared: below(random, 3) > 0, file, ...shape };
      const [cleared, isMap] = [replace(before, start, end, []), what === 1];
      views.replaced(before, cleared, gone);
      areas = isMap ? replace(cleared, start, end, [area]) : cleared;
      if (isMap) views.replaced(cleared, areas, [], area);
      for (let page = first; page < first + count; page++)
        table[page] = isMap && file ? { inode: file.inode, shared: area.shared, offset: page * PAGE } : undefined;
    }
    for (const inode of inodes) {
      expect(views.of(areas, inode), `step ${step}`).toEqual(slowViews(table, inode));
      expect(new FileViews().of(areas, inode), `step ${step}, anew`).toEqual(slowViews(table, inode));
    }
  }
  expect(listAreas(areas).length).toBeGreaterThan(10);
});
