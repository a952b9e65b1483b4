/**
 * Which addresses an entry covers: DW_AT_low_pc with DW_AT_high_pc, or a list in .debug_ranges (DWARF 4, section 2.17.3)
 * or .debug_rnglists (DWARF 5, section 7.25). Ranges are half open; empty ones are left out.
 */
import type { Cursor } from "../cursor.ts";
import { attributes, forms } from "./constants.ts";
import type { Entry } from "./entries.ts";
import type { Unit } from "./units.ts";

export interface Range {
  readonly low: number;
  readonly high: number;
}

export function rangesOf(entry: Entry): readonly Range[] {
  const low = entry.address(attributes.lowPc);
  if (low !== undefined && entry.has(attributes.highPc)) {
    const high = entry.address(attributes.highPc) as number;
    // A high_pc that is not an address is a length.
    const isLength = !addressForms.has(entry.form(attributes.highPc) as number);
    return withoutEmpty([{ low, high: isLength ? low + high : high }]);
  }
  if (!entry.has(attributes.ranges)) return [];
  const { unit } = entry;
  const ranges = unit.version >= 5 ? readRangeList(entry) : readOldRangeList(entry);
  unit.info.spend(ranges.length);
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

const baseOf = (unit: Unit) => unit.root.address(attributes.lowPc) ?? 0;

function readOldRangeList(entry: Entry): readonly Range[] {
  const { unit } = entry;
  const cursor = unit.info.sections.cursor("ranges", entry.number(attributes.ranges) as number);
  const ranges: Range[] = [];
  // All ones; as a number it is rounded up, hence the comparison below.
  const selector = 2 ** (8 * unit.addressSize) - 1;
  let base = baseOf(unit);
  for (;;) {
    const [low, high] = [cursor.unsigned(unit.addressSize), cursor.unsigned(unit.addressSize)];
    if (low === 0 && high === 0) return ranges;
    if (low >= selector) base = high;
    else ranges.push({ low: base + low, high: base + high });
  }
}

function readRangeList(entry: Entry): readonly Range[] {
  const { unit } = entry;
  const stored = entry.number(attributes.ranges) as number;
  const isIndex = entry.form(attributes.ranges) === forms.rnglistx;
  const cursor = unit.info.sections.cursor("rnglists", isIndex ? offsetOfIndex(unit, stored) : stored);
  const state: ListState = { unit, base: baseOf(unit), ranges: [] };
  for (let kind = cursor.u8(); kind !== 0; kind = cursor.u8()) {
    const read = listEntries[kind];
    if (read === undefined) throw cursor.fail();
    read(cursor, state);
  }
  return state.ranges;
}

function offsetOfIndex(unit: Unit, index: number): number {
  const base = unit.root.number(attributes.rnglistsBase) ?? (unit.offsetSize === 8 ? 20 : 12);
  return base + unit.info.sections.cursor("rnglists", base + index * unit.offsetSize).unsigned(unit.offsetSize);
}

interface ListState {
  readonly unit: Unit;
  base: number;
  readonly ranges: Range[];
}

/** DW_RLE_*, by number. */
const listEntries: Readonly<Record<number, (cursor: Cursor, state: ListState) => void>> = {
  1: (cursor, state) => {
    state.base = state.unit.addressOfIndex(cursor.uleb());
  },
  2: (cursor, { unit, ranges }) => {
    const low = unit.addressOfIndex(cursor.uleb());
    ranges.push({ low, high: unit.addressOfIndex(cursor.uleb()) });
  },
  3: (cursor, { unit, ranges }) => {
    const low = unit.addressOfIndex(cursor.uleb());
    ranges.push({ low, high: low + cursor.uleb() });
  },
  4: (cursor, { base, ranges }) => {
    const low = base + cursor.uleb();
    ranges.push({ low, high: base + cursor.uleb() });
  },
  5: (cursor, state) => {
    state.base = cursor.unsigned(state.unit.addressSize);
  },
  6: (cursor, { unit, ranges }) => {
    const low = cursor.unsigned(unit.addressSize);
    ranges.push({ low, high: cursor.unsigned(unit.addressSize) });
  },
  7: (cursor, { unit, ranges }) => {
    const low = cursor.unsigned(unit.addressSize);
    ranges.push({ low, high: low + cursor.uleb() });
  },
};
