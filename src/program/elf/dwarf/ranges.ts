/**
 * Which addresses an entry covers: DW_AT_low_pc with DW_AT_high_pc, or a list in .debug_ranges (DWARF 4, section 2.17.3)
 * or .debug_rnglists (DWARF 5, section 7.25). Ranges are half open; empty ones are left out.
 */
import {
  offsetOfList,
  type Range,
  type RangeReader,
  rangeReaders,
  readList,
  readOldList,
  sameInBothLists,
} from "./address-lists.ts";
import { attributes, forms } from "./constants.ts";
import type { Entry } from "./entries.ts";

export type { Range } from "./address-lists.ts";

export function rangesOf(entry: Entry): readonly Range[] {
  const low = entry.address(attributes.lowPc);
  if (low !== undefined && entry.has(attributes.highPc)) {
    const high = entry.address(attributes.highPc) as number;
    // A high_pc that is not an address is a length.
    const isLength = !addressForms.has(entry.form(attributes.highPc) as number);
    return withoutEmpty([{ low, high: isLength ? low + high : high }]);
  }
  if (!entry.has(attributes.ranges)) return [];
  const ranges = readRanges(entry);
  entry.unit.info.spend(ranges.length);
  return withoutEmpty(ranges);
}

const addressForms: ReadonlySet<number> = new Set([
  forms.addr,
  forms.addrx,
  forms.addrx1,
  forms.addrx2,
  forms.addrx3,
  forms.addrx4,
  forms.gnuAddrIndex,
]);

const withoutEmpty = (ranges: readonly Range[]) => ranges.filter(({ low, high }) => low < high);

function readRanges(entry: Entry): readonly Range[] {
  const { unit } = entry;
  const { sections } = unit.info;
  const stored = entry.number(attributes.ranges) as number;
  const ranges: Range[] = [];
  const found = (range: Range) => void ranges.push(range);
  if (unit.version < 5) readOldList(sections.cursor("ranges", stored), unit, found);
  else {
    const isIndex = entry.form(attributes.ranges) === forms.rnglistx;
    const at = isIndex ? offsetOfList(unit, "rnglists", attributes.rnglistsBase, stored) : stored;
    readList(sections.cursor("rnglists", at), unit, readers, found);
  }
  return ranges;
}

/** DW_RLE_*, by number. */
const readers: Readonly<Record<number, RangeReader>> = {
  ...sameInBothLists,
  5: rangeReaders.baseAddress,
  6: rangeReaders.startEnd,
  7: rangeReaders.startLength,
};
