/**
 * Where a variable is, over the addresses of its scope: one expression, or a list in .debug_loc (DWARF 4, section 2.6.2)
 * or .debug_loclists (DWARF 5, section 7.29) with an expression for each range. The location views that GCC adds
 * (DW_LLE_view_pair) say nothing about addresses and are passed over.
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
import type { Unit } from "./units.ts";

/** Expressions are kept as bytes; addresses are the file's own. */
export interface LocationRange extends Range {
  readonly expression: Uint8Array;
}

const everywhere: Range = { low: 0, high: Number.POSITIVE_INFINITY };

/** In the order of the list; where ranges overlap, the first one counts. One expression alone covers every address. */
export function locationsOf(entry: Entry, attribute: number): readonly LocationRange[] {
  const form = entry.form(attribute);
  if (form === undefined) return [];
  const block = entry.block(attribute);
  if (block !== undefined) return [{ ...everywhere, expression: block }];
  if (!listForms.has(form)) return [];
  const { unit } = entry;
  const stored = entry.number(attribute) as number;
  const locations = unit.version >= 5 ? readNew(unit, stored, form === forms.loclistx) : readOld(unit, stored);
  unit.info.spend(locations.length);
  return locations;
}

/** Before DWARF 4, an offset into a section looked like any number of that size. */
const listForms: ReadonlySet<number> = new Set([forms.secOffset, forms.loclistx, forms.data4, forms.data8]);

function readOld(unit: Unit, at: number): readonly LocationRange[] {
  const cursor = unit.info.sections.cursor("loc", at);
  const locations: LocationRange[] = [];
  readOldList(cursor, unit, (range) => locations.push({ ...range, expression: cursor.view(cursor.u16()) }));
  return locations;
}

function readNew(unit: Unit, stored: number, isIndex: boolean): readonly LocationRange[] {
  const at = isIndex ? offsetOfList(unit, "loclists", attributes.loclistsBase, stored) : stored;
  const cursor = unit.info.sections.cursor("loclists", at);
  const locations: LocationRange[] = [];
  readList(cursor, unit, readers, (range) => locations.push({ ...range, expression: cursor.view(cursor.uleb()) }));
  return locations;
}

/** DW_LLE_*, by number. */
const readers: Readonly<Record<number, RangeReader>> = {
  ...sameInBothLists,
  5: () => everywhere,
  6: rangeReaders.baseAddress,
  7: rangeReaders.startEnd,
  8: rangeReaders.startLength,
  9: (cursor) => {
    cursor.uleb();
    cursor.uleb();
    return undefined;
  },
};
