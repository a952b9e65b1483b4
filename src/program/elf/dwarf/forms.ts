/**
 * How attribute values are stored (DWARF 5, section 7.5.6). One table says how many bytes each form takes; everything
 * that reads or skips attributes goes through it, so a form is either known to all or refused by all.
 */
import type { Cursor } from "../cursor.ts";
import { forms } from "./constants.ts";

/** Sizes that a unit's header decides. */
export interface UnitShape {
  readonly version: number;
  readonly addressSize: number;
  readonly offsetSize: 4 | 8;
}

/** A number of bytes, a size the unit decides, or a value that says itself where it ends. */
export type FormSize =
  | number
  | "address"
  | "offset"
  | "refAddr"
  | "leb"
  | "text"
  | "block"
  | "block1"
  | "block2"
  | "block4"
  | "indirect";

// biome-ignore format: columns stay aligned
const sizes: ReadonlyMap<number, FormSize> = new Map<number, FormSize>([
  [forms.addr,          "address"], [forms.block,      "block"],  [forms.block1,     "block1"],
  [forms.block2,        "block2"],  [forms.block4,     "block4"], [forms.exprloc,    "block"],
  [forms.data1,         1],         [forms.data2,      2],        [forms.data4,      4],
  [forms.data8,         8],         [forms.data16,     16],       [forms.sdata,      "leb"],
  [forms.udata,         "leb"],     [forms.flag,       1],        [forms.flagPresent, 0],
  [forms.implicitConst, 0],         [forms.string,     "text"],   [forms.strp,       "offset"],
  [forms.lineStrp,      "offset"],  [forms.strpSup,    "offset"], [forms.secOffset,  "offset"],
  [forms.strx,          "leb"],     [forms.strx1,      1],        [forms.strx2,      2],
  [forms.strx3,         3],         [forms.strx4,      4],        [forms.addrx,      "leb"],
  [forms.addrx1,        1],         [forms.addrx2,     2],        [forms.addrx3,     3],
  [forms.addrx4,        4],         [forms.ref1,       1],        [forms.ref2,       2],
  [forms.ref4,          4],         [forms.ref8,       8],        [forms.refUdata,   "leb"],
  [forms.refAddr,       "refAddr"], [forms.refSig8,    8],        [forms.refSup4,    4],
  [forms.refSup8,       8],         [forms.loclistx,   "leb"],    [forms.rnglistx,   "leb"],
  [forms.indirect,      "indirect"], [forms.gnuAddrIndex, "leb"], [forms.gnuStrIndex, "leb"],
  [forms.gnuRefAlt,     "offset"],  [forms.gnuStrpAlt, "offset"],
]);

/** The size of a form in units of one shape; undefined for a form this reader does not know. */
export function sizeOfForm(form: number, shape: UnitShape): FormSize | undefined {
  const size = sizes.get(form);
  if (size === "address") return shape.addressSize;
  if (size === "offset") return shape.offsetSize;
  if (size === "refAddr") return shape.version === 2 ? shape.addressSize : shape.offsetSize;
  return size;
}

const skippers: Readonly<Record<Exclude<FormSize, number>, (cursor: Cursor, shape: UnitShape) => void>> = {
  address: (cursor, shape) => cursor.skip(shape.addressSize),
  offset: (cursor, shape) => cursor.skip(shape.offsetSize),
  refAddr: (cursor, shape) => cursor.skip(shape.version === 2 ? shape.addressSize : shape.offsetSize),
  leb: (cursor) => void cursor.uleb(),
  text: (cursor) => {
    while (cursor.u8() !== 0);
  },
  block: (cursor) => cursor.skip(cursor.uleb()),
  block1: (cursor) => cursor.skip(cursor.u8()),
  block2: (cursor) => cursor.skip(cursor.u16()),
  block4: (cursor) => cursor.skip(cursor.u32()),
  indirect: (cursor, shape) => {
    const size = sizeOfForm(cursor.uleb(), shape);
    if (size === undefined || size === "indirect") throw cursor.fail();
    skipSize(cursor, size, shape);
  },
};

export function skipSize(cursor: Cursor, size: FormSize, shape: UnitShape): void {
  if (typeof size === "number") cursor.skip(size);
  else skippers[size](cursor, shape);
}

const stringIndexForms: ReadonlySet<number> = new Set([
  forms.strx,
  forms.strx1,
  forms.strx2,
  forms.strx3,
  forms.strx4,
  forms.gnuStrIndex,
]);
const addressIndexForms: ReadonlySet<number> = new Set([
  forms.addrx,
  forms.addrx1,
  forms.addrx2,
  forms.addrx3,
  forms.addrx4,
  forms.gnuAddrIndex,
]);
const unitReferenceForms: ReadonlySet<number> = new Set([
  forms.ref1,
  forms.ref2,
  forms.ref4,
  forms.ref8,
  forms.refUdata,
]);

export const isStringIndex = (form: number) => stringIndexForms.has(form);
export const isAddressIndex = (form: number) => addressIndexForms.has(form);
/** A reference counted from the start of the same unit. */
export const isUnitReference = (form: number) => unitReferenceForms.has(form);

/** The number a form stores, unresolved; undefined for text, blocks and the like. */
export function readNumber(cursor: Cursor, form: number, implicit: number, shape: UnitShape): number | undefined {
  if (form === forms.flagPresent) return 1;
  if (form === forms.implicitConst) return implicit;
  if (form === forms.sdata) return cursor.sleb();
  const size = sizeOfForm(form, shape);
  if (size === "leb") return cursor.uleb();
  if (size === 3) return cursor.u24();
  return typeof size === "number" && size > 0 && size <= 8 ? cursor.unsigned(size) : undefined;
}
