/** What types are made of: members, enumerators and array bounds are children of the type's entry. */
import { attributes, forms, tags } from "./constants.ts";
import { type Entry, readEntry } from "./entries.ts";
import type { EnumInfo, Member, TypeId } from "./types.ts";

const MAX_DEPTH = 256;

/** The direct children of an entry. */
export function childrenOf(parent: Entry): readonly Entry[] {
  if (!parent.abbreviation.hasChildren) return [];
  const { unit } = parent;
  const children: Entry[] = [];
  let depth = 1;
  let at = parent.end;
  while (at < unit.end && depth < MAX_DEPTH) {
    const entry = readEntry(unit, at);
    if (entry === undefined) {
      if (--depth === 0) break;
      at++; // a null entry is one zero byte
      continue;
    }
    if (depth === 1) children.push(entry);
    if (entry.abbreviation.hasChildren) depth++;
    at = entry.end;
  }
  return children;
}

export const readMembers = (struct: Entry): readonly Member[] =>
  childrenOf(struct)
    .filter(isDataMember)
    .map((entry) => readMember(entry));

/** A static member is a declaration, or has no place in a struct (a union's members need none). */
function isDataMember(entry: Entry): boolean {
  if (entry.tag === tags.inheritance) return true;
  return entry.tag === tags.member && !entry.has(attributes.declaration);
}

function readMember(entry: Entry): Member {
  const width = entry.number(attributes.bitSize);
  // Counted from the member's offset, however the file counts.
  const firstBit = width === undefined ? 0 : (entry.number(attributes.dataBitOffset) ?? oldBitOffset(entry, width));
  const bytes = Math.floor(firstBit / 8);
  return {
    name: entry.text(attributes.name),
    type: entry.reference(attributes.type) as TypeId | undefined,
    offset: memberOffset(entry) + bytes,
    bits: width === undefined ? undefined : { first: firstBit - 8 * bytes, width },
    inherited: entry.tag === tags.inheritance,
  };
}

const DW_OP_PLUS_UCONST = 0x23;
const DW_AT_BIT_OFFSET = 0x0c;

/** A constant, or in old files an expression that adds one. A virtual base has no fixed place: 0. */
function memberOffset(entry: Entry): number {
  const constant = entry.number(attributes.dataMemberLocation);
  if (constant !== undefined) return constant;
  const block = entry.block(attributes.dataMemberLocation);
  if (block === undefined || block[0] !== DW_OP_PLUS_UCONST) return 0;
  return block.subarray(1).reduce((sum, byte, index) => sum + (byte & 0x7f) * 128 ** index, 0);
}

/** Before DWARF 4 bits were counted from the top of a storage unit of DW_AT_byte_size bytes. */
function oldBitOffset(entry: Entry, width: number): number {
  const fromTop = entry.number(DW_AT_BIT_OFFSET);
  const storage = entry.number(attributes.byteSize);
  return fromTop === undefined || storage === undefined ? 0 : storage * 8 - fromTop - width;
}

export const readEnumValues = (type: Entry): EnumInfo["values"] =>
  childrenOf(type)
    .filter(({ tag }) => tag === tags.enumerator)
    .map((entry) => ({ name: entry.text(attributes.name) ?? "", value: signedConstant(entry) }));

/** Fixed-size data forms hold the bits of a negative enumerator of a signed type as well as of a large unsigned one. */
function signedConstant(entry: Entry): number {
  const value = entry.number(attributes.constValue) ?? 0;
  return entry.form(attributes.constValue) === forms.data8 && value >= 2 ** 63 ? value - 2 ** 64 : value;
}

/** The number of elements in each dimension; undefined where the bound is open or computed at run time. */
export const readElements = (array: Entry): readonly (number | undefined)[] =>
  childrenOf(array)
    .filter(({ tag }) => tag === tags.subrangeType)
    .map((entry) => {
      const upper = boundOf(entry, attributes.upperBound);
      return boundOf(entry, attributes.count) ?? (upper === undefined ? undefined : upper + 1);
    });

/** A bound that is a reference or an expression is known only at run time. */
function boundOf(entry: Entry, attribute: number): number | undefined {
  const form = entry.form(attribute);
  if (form === undefined || !constantForms.has(form)) return undefined;
  const value = entry.number(attribute) as number;
  // A zero-length array has the upper bound -1, in whatever width.
  return value === 2 ** 32 - 1 || value >= 2 ** 63 ? -1 : value;
}

const constantForms: ReadonlySet<number> = new Set([
  forms.data1,
  forms.data2,
  forms.data4,
  forms.data8,
  forms.sdata,
  forms.udata,
  forms.implicitConst,
]);
