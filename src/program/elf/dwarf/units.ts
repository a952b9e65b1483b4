/**
 * Units (DWARF 5, section 7.5.1): the pieces .debug_info is cut into, one per compiled source file. Always:
 * - Headers are read once, by hopping from length to length; what is inside a unit is read only when asked for.
 * - Units follow each other without overlapping, so an offset belongs to one unit at most.
 */
import type { Cursor } from "../cursor.ts";
import * as errors from "../errors.ts";
import { type Abbreviation, type Abbreviations, readAbbreviations } from "./abbreviations.ts";
import { attributes, unitTypes } from "./constants.ts";
import { type Entry, readEntry } from "./entries.ts";
import type { UnitShape } from "./forms.ts";
import type { DebugSections } from "./sections.ts";

export interface UnitHeader extends UnitShape {
  readonly offset: number;
  readonly end: number;
  /** Where the unit's own entry, the root of its tree, is. */
  readonly rootOffset: number;
  readonly type: number;
  readonly abbreviationsAt: number;
  /** For type units: the eight bytes that name the type, and the entry that describes it. */
  readonly signature: string | undefined;
  readonly typeOffset: number | undefined;
}

const MIN_WORK = 10_000_000;
const WORK_PER_BYTE = 64;
const MIN_VERSION = 2;
const MAX_VERSION = 5;

/** A length of 4 bytes, or of 12 for the 64-bit format (DWARF 5, section 7.4). */
export function readInitialLength(cursor: Cursor): { readonly length: number; readonly offsetSize: 4 | 8 } {
  const length = cursor.u32();
  if (length === 0xffffffff) return { length: cursor.u64(), offsetSize: 8 };
  return { length, offsetSize: 4 };
}

function readUnitHeader(cursor: Cursor): UnitHeader | undefined {
  const offset = cursor.position;
  const { length, offsetSize } = readInitialLength(cursor);
  const end = cursor.position + length;
  if (end > cursor.end) throw cursor.fail();
  const version = cursor.u16();
  if (version < MIN_VERSION || version > MAX_VERSION) {
    cursor.position = end;
    return undefined;
  }
  const type = version === 5 ? cursor.u8() : unitTypes.compile;
  const addressSizeFirst = version === 5 ? cursor.u8() : undefined;
  const abbreviationsAt = cursor.unsigned(offsetSize);
  const addressSize = addressSizeFirst ?? cursor.u8();
  const isTypeUnit = type === unitTypes.type || type === unitTypes.splitType;
  const hasId = isTypeUnit || type === unitTypes.skeleton || type === unitTypes.splitCompile;
  const id = hasId ? signatureOf(cursor.view(8)) : undefined;
  const typeOffset = isTypeUnit ? offset + cursor.unsigned(offsetSize) : undefined;
  const rootOffset = cursor.position;
  if (![1, 2, 4, 8].includes(addressSize)) throw cursor.fail();
  cursor.position = end;
  const signature = isTypeUnit ? id : undefined;
  return { offset, end, rootOffset, version, type, addressSize, offsetSize, abbreviationsAt, signature, typeOffset };
}

export const signatureOf = (bytes: Uint8Array) => bytes.join(",");

export class Unit implements UnitHeader {
  declare readonly offset: number;
  declare readonly end: number;
  declare readonly rootOffset: number;
  declare readonly version: number;
  declare readonly type: number;
  declare readonly addressSize: number;
  declare readonly offsetSize: 4 | 8;
  declare readonly abbreviationsAt: number;
  declare readonly signature: string | undefined;
  declare readonly typeOffset: number | undefined;
  readonly info: DebugInfo;
  readonly #cursor: Cursor;
  #abbreviations: Abbreviations | undefined;
  #root: Entry | undefined;

  constructor(header: UnitHeader, info: DebugInfo) {
    Object.assign(this, header);
    this.info = info;
    this.#cursor = info.sections.cursor("info").at(header.rootOffset, header.end);
  }

  /** The unit's one cursor, moved: good until the next call. */
  cursorAt(position: number): Cursor {
    if (position < this.offset || position > this.end) throw this.#cursor.fail();
    this.#cursor.position = position;
    return this.#cursor;
  }

  get root(): Entry {
    this.#root ??= readEntry(this, this.rootOffset);
    if (this.#root === undefined) throw this.#cursor.fail();
    return this.#root;
  }

  abbreviation(code: number): Abbreviation {
    this.#abbreviations ??= this.info.abbreviationsOf(this);
    const found = this.#abbreviations.get(code);
    if (found === undefined) throw errors.badDebugInfo(this.info.sections.path, `abbreviation ${code} is not defined`);
    return found;
  }

  textOfIndex(index: number): string {
    // Without a base, indices count from just after the header of a single contribution.
    const base = this.root.number(attributes.strOffsetsBase) ?? (this.version >= 5 ? 2 * this.offsetSize : 0);
    const { sections } = this.info;
    const at = sections.cursor("str_offsets", base + index * this.offsetSize).unsigned(this.offsetSize);
    return sections.cursor("str", at).text();
  }

  addressOfIndex(index: number): number {
    const base = this.root.number(attributes.addrBase) ?? this.root.number(attributes.gnuAddrBase) ?? 8;
    return this.info.sections.cursor("addr", base + index * this.addressSize).unsigned(this.addressSize);
  }
}

/** All units of one file, and what they share. */
export class DebugInfo {
  readonly sections: DebugSections;
  readonly units: readonly Unit[];
  readonly #abbreviations = new Map<string, Abbreviations>();
  readonly #typeUnits: ReadonlyMap<string, Unit>;
  #workLeft: number;

  constructor(sections: DebugSections) {
    this.sections = sections;
    this.#workLeft = MIN_WORK + WORK_PER_BYTE * (sections.content("info").length + sections.content("abbrev").length);
    const cursor = sections.cursor("info");
    const units: Unit[] = [];
    while (!cursor.atEnd) {
      const header = readUnitHeader(cursor);
      if (header !== undefined) units.push(new Unit(header, this));
    }
    this.units = units;
    this.#typeUnits = new Map(units.flatMap((unit) => (unit.signature === undefined ? [] : [[unit.signature, unit]])));
  }

  abbreviationsOf(unit: UnitHeader): Abbreviations {
    const key = `${unit.abbreviationsAt}/${unit.version}/${unit.addressSize}/${unit.offsetSize}`;
    const known = this.#abbreviations.get(key);
    if (known !== undefined) return known;
    const cursor = this.sections.cursor("abbrev", unit.abbreviationsAt);
    const table = readAbbreviations(cursor, unit);
    this.spend(cursor.position - unit.abbreviationsAt);
    this.#abbreviations.set(key, table);
    return table;
  }

  /** Counts work that lists shared between entries could multiply without end in a crafted file. */
  spend(amount: number): void {
    this.#workLeft -= amount;
    if (this.#workLeft < 0) throw errors.badDebugInfo(this.sections.path, "it repeats itself beyond all measure");
  }

  unitOf(offset: number): Unit | undefined {
    let low = 0;
    let high = this.units.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.units[middle] as Unit).end <= offset) low = middle + 1;
      else high = middle;
    }
    const unit = this.units[low];
    return unit !== undefined && offset >= unit.rootOffset ? unit : undefined;
  }

  entryAt(offset: number): Entry | undefined {
    const unit = this.unitOf(offset);
    return unit === undefined ? undefined : readEntry(unit, offset);
  }

  /** The entry of the type whose signature lies at this place of .debug_info. */
  typeOfSignature(at: number): number | undefined {
    return this.#typeUnits.get(signatureOf(this.sections.cursor("info", at).view(8)))?.typeOffset;
  }
}
