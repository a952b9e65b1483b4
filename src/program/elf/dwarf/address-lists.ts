/**
 * What lists of ranges and lists of locations have in common (DWARF 5, sections 7.25 and 7.29; DWARF 4, sections 2.6.2 and
 * 2.17.3): entries that give a range of addresses, in several ways, or the base that later ones count from.
 */
import type { Cursor } from "../cursor.ts";
import { attributes } from "./constants.ts";
import type { DebugSectionName } from "./sections.ts";
import type { Unit } from "./units.ts";

/** Half open. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

export interface ListState {
  readonly unit: Unit;
  base: number;
}

/** Undefined when the entry only changed the base. */
export type RangeReader = (cursor: Cursor, state: ListState) => Range | undefined;

const baseOf = (unit: Unit) => unit.root.address(attributes.lowPc) ?? 0;

const newListState = (unit: Unit): ListState => ({ unit, base: baseOf(unit) });

/** The names are those behind DW_RLE_ and DW_LLE_. */
export const rangeReaders = {
  baseAddressx: (cursor, state) => {
    state.base = state.unit.addressOfIndex(cursor.uleb());
    return undefined;
  },
  startxEndx: (cursor, { unit }) => {
    const low = unit.addressOfIndex(cursor.uleb());
    return { low, high: unit.addressOfIndex(cursor.uleb()) };
  },
  startxLength: (cursor, { unit }) => {
    const low = unit.addressOfIndex(cursor.uleb());
    return { low, high: low + cursor.uleb() };
  },
  offsetPair: (cursor, { base }) => {
    const low = base + cursor.uleb();
    return { low, high: base + cursor.uleb() };
  },
  baseAddress: (cursor, state) => {
    state.base = cursor.unsigned(state.unit.addressSize);
    return undefined;
  },
  startEnd: (cursor, { unit }) => {
    const low = cursor.unsigned(unit.addressSize);
    return { low, high: cursor.unsigned(unit.addressSize) };
  },
  startLength: (cursor, { unit }) => {
    const low = cursor.unsigned(unit.addressSize);
    return { low, high: low + cursor.uleb() };
  },
} as const satisfies Readonly<Record<string, RangeReader>>;

/** By number: those that DW_RLE_ and DW_LLE_ count alike. */
export const sameInBothLists: Readonly<Record<number, RangeReader>> = {
  1: rangeReaders.baseAddressx,
  2: rangeReaders.startxEndx,
  3: rangeReaders.startxLength,
  4: rangeReaders.offsetPair,
};

/** DWARF 5: calls `found` after each entry that gives a range, for what else the entry has. */
export function readList(
  cursor: Cursor,
  unit: Unit,
  readers: Readonly<Record<number, RangeReader>>,
  found: (range: Range) => void,
): void {
  const state = newListState(unit);
  for (let kind = cursor.u8(); kind !== 0; kind = cursor.u8()) {
    const read = readers[kind];
    if (read === undefined) throw cursor.fail();
    const range = read(cursor, state);
    if (range !== undefined) found(range);
  }
}

/** Before DWARF 5: pairs of offsets from the base up to a pair of zeros. */
export function readOldList(cursor: Cursor, unit: Unit, found: (range: Range) => void): void {
  // All ones; as a number it is rounded up, hence the comparison below.
  const selector = 2 ** (8 * unit.addressSize) - 1;
  let base = baseOf(unit);
  for (;;) {
    const [low, high] = [cursor.unsigned(unit.addressSize), cursor.unsigned(unit.addressSize)];
    if (low === 0 && high === 0) return;
    if (low >= selector) base = high;
    else found({ low: base + low, high: base + high });
  }
}

/** Where the list with a number begins; without a base, numbers count from just after the header of a single table. */
export function offsetOfList(unit: Unit, section: DebugSectionName, baseAttribute: number, index: number): number {
  const base = unit.root.number(baseAttribute) ?? (unit.offsetSize === 8 ? 20 : 12);
  return base + unit.info.sections.cursor(section, base + index * unit.offsetSize).unsigned(unit.offsetSize);
}
