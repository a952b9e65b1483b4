/**
 * The way from a type to the part of it that a range of bytes lies in: fields and elements, as far as one part holds the
 * whole range. A range over two fields of a struct ends at the struct; one in padding ends there too.
 */
import type { Member, StructInfo, TypeId, TypeInfo } from "./dwarf/types.ts";

export type FieldStep = {
  /** Of the part itself, typedefs and qualifiers included. */
  readonly type: TypeId | undefined;
  /** Where the part begins, counted from where the way began. */
  readonly offset: number;
} & (
  | { readonly kind: "field"; readonly name: string }
  /** A base class, or an anonymous struct or union, which the source does not name. */
  | { readonly kind: "unnamed" }
  /** One index for each dimension. */
  | { readonly kind: "element"; readonly indices: readonly number[] }
);

/** What there is to know of types; `TypeReader` has it. */
export interface TypeLookup {
  describe(id: TypeId): TypeInfo | undefined;
  sizeOf(id: TypeId | undefined): number | undefined;
}

const MAX_DEPTH = 64;

/** Through typedefs and qualifiers to the type itself. */
export function bareType(types: TypeLookup, id: TypeId | undefined): TypeId | undefined {
  let at = id;
  for (let step = 0; at !== undefined && step < MAX_DEPTH; step++) {
    const type = types.describe(at);
    if (type === undefined || !("target" in type) || "size" in type) return at;
    at = type.target;
  }
  return undefined;
}

/** Ways that may still be tried through unions, which a crafted file nests without end. */
interface Patience {
  left: number;
}
const MAX_TRIES = 1_000;

/** Empty when the range is the whole type, has no part to itself, or lies outside. */
export function fieldPath(
  types: TypeLookup,
  id: TypeId | undefined,
  offset: number,
  size: number,
  patience: Patience = { left: MAX_TRIES },
): readonly FieldStep[] {
  const steps: FieldStep[] = [];
  let [at, start] = [id, 0];
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const step = nextStep(types, at, offset - start, size, patience);
    if (step === undefined) break;
    start += step.offset;
    steps.push({ ...step, offset: start });
    at = step.type;
  }
  return steps;
}

function nextStep(
  types: TypeLookup,
  id: TypeId | undefined,
  offset: number,
  size: number,
  patience: Patience,
): FieldStep | undefined {
  const bare = bareType(types, id);
  const type = bare === undefined ? undefined : types.describe(bare);
  if (type === undefined || offset < 0) return undefined;
  if (isStruct(type)) return memberStep(types, type, offset, size, patience);
  if (type.kind !== "array" || types.sizeOf(bare) === size) return undefined;
  return elementStep(types, type.element, type.counts, offset, size);
}

export const isStruct = (type: TypeInfo | undefined): type is StructInfo =>
  type?.kind === "struct" || type?.kind === "class" || type?.kind === "union";

/** Of several members that hold the range, the first with a part that is the range; else the first. */
function memberStep(
  types: TypeLookup,
  struct: StructInfo,
  offset: number,
  size: number,
  patience: Patience,
): FieldStep | undefined {
  const fitting = struct.members.filter((member) => holds(types, member, offset, size));
  const isExact = (member: Member) => {
    const path = patience.left-- > 0 ? fieldPath(types, member.type, offset - member.offset, size, patience) : [];
    const last = path.at(-1) ?? { type: member.type, offset: 0 };
    return last.offset === offset - member.offset && types.sizeOf(last.type) === size;
  };
  const member = fitting.length > 1 ? (fitting.find(isExact) ?? fitting[0]) : fitting[0];
  if (member === undefined) return undefined;
  const place = { type: member.type, offset: member.offset };
  if (member.inherited || member.name === undefined) return { kind: "unnamed", ...place };
  return { kind: "field", name: member.name, ...place };
}

/** C++ gives an empty base class a size, but it shares its place with what follows. */
function isEmpty(types: TypeLookup, id: TypeId | undefined, depth = 0): boolean {
  const bare = bareType(types, id);
  const type = bare === undefined ? undefined : types.describe(bare);
  return isStruct(type) && depth < MAX_DEPTH && type.members.every((member) => isEmpty(types, member.type, depth + 1));
}

function holds(types: TypeLookup, member: Member, offset: number, size: number): boolean {
  const { offset: start, type, bits, inherited } = member;
  if (inherited && isEmpty(types, type)) return false;
  if (bits !== undefined) {
    const end = start + Math.ceil((bits.first + bits.width) / 8);
    // Bit fields share their bytes: the first one that the range touches speaks for them all.
    return offset < end && start < offset + size && size <= (types.sizeOf(type) ?? 0);
  }
  // A struct's last array may be open: it reaches as far as anybody stores.
  const whole = types.sizeOf(type);
  return offset >= start && (whole === undefined || isOpenArray(types, type) || offset + size <= start + whole);
}

function isOpenArray(types: TypeLookup, id: TypeId | undefined): boolean {
  const bare = bareType(types, id);
  const type = bare === undefined ? undefined : types.describe(bare);
  return type?.kind === "array" && (type.counts[0] === undefined || type.counts[0] === 0);
}

function elementStep(
  types: TypeLookup,
  element: TypeId | undefined,
  counts: readonly (number | undefined)[],
  offset: number,
  size: number,
): FieldStep | undefined {
  const each = types.sizeOf(element);
  if (each === undefined || each === 0) return undefined;
  const number = Math.floor(offset / each);
  if (offset + size > (number + 1) * each) return undefined;
  let rest = number;
  const indices: number[] = [];
  for (const count of counts.toReversed()) {
    const isOpen = count === undefined || count === 0;
    indices.unshift(isOpen ? rest : rest % count);
    rest = isOpen ? 0 : Math.floor(rest / count);
  }
  return rest > 0 ? undefined : { kind: "element", indices, type: element, offset: number * each };
}

export type Indices = "kept" | "erased";

/** `entries[3].value`; erased, `entries[].value`. Empty for the whole. */
export function spellPath(steps: readonly FieldStep[], indices: Indices = "kept"): string {
  const text = steps.map((step) => {
    if (step.kind === "field") return `.${step.name}`;
    if (step.kind === "unnamed") return "";
    return step.indices.map((index) => (indices === "kept" ? `[${index}]` : "[]")).join("");
  });
  return text.join("").replace(/^\./, "");
}
