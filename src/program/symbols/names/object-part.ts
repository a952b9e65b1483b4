/**
 * The part of an object that a store changed: from what is known of the pointer, and the address itself, to the object's
 * own address, its type and the way to the part. An object within others is told with all of them, the outermost first.
 */
import {
  bareType,
  type FieldStep,
  fieldPath,
  isStruct,
  spellPath,
  type TypeId,
  type TypeReader,
} from "../../elf/index.ts";
import type { CanonicalType, TypeTable } from "../type-table.ts";
import { derefText, describeBare } from "./typed-memory.ts";
import { add, type PointerBase, type Value } from "./values.ts";

/** `exact`: the part and the object are sure. `likely`: which element, or which object, is not. `guess`: neither is. */
export type Confidence = "exact" | "likely" | "guess";

export interface Membership {
  readonly type: CanonicalType;
  /** Where the object of that type begins; undefined when only its inner parts are known. */
  readonly instance: number | undefined;
  /** From the object to the part: `entries[3].value`. Empty for the whole. */
  readonly path: string;
  /** The same with its indices erased: `entries[].value`. */
  readonly pattern: string;
}

export interface ObjectPart {
  /** How the source says it: `entry->value`. */
  readonly text: string;
  /** By the outermost object known: `store->entries[3].value`. */
  readonly rooted: string;
  readonly members: readonly Membership[];
  readonly confidence: Confidence;
  /** Where the part is one whole number of more than a byte: not text, whatever its bytes look like. */
  readonly number?: NumberKind;
}

export type NumberKind = "signed" | "unsigned";

/** What the pointer's own type says. */
type OwnPart = Omit<ObjectPart, "rooted">;

export interface StoredRange {
  readonly address: number;
  readonly size: number;
  /** Where the file is mapped that the store went to: what a pool's first pointer points to. */
  readonly mapping?: { readonly start: number; readonly length: number };
}

export interface PartContext {
  readonly types: TypeReader;
  readonly table: TypeTable;
  /** The address a base stands for, where it is known. */
  addressOf(base: PointerBase): number | undefined;
}

/** How far into what the pointer points to the store went. */
interface Distance {
  readonly bytes: number;
  /** Whether it counts from the pointer; else only from the element that it happens to be in. */
  readonly from: "pointer" | "element";
  readonly confidence: Confidence;
}

const modulo = (value: number, by: number) => ((value % by) + by) % by;

function distanceOf(base: PointerBase, value: Value, range: StoredRange, context: PartContext): Distance | undefined {
  const { offset } = value;
  const stride = Math.abs(value.stride);
  if (stride === 0) return { bytes: offset, from: "pointer", confidence: "exact" };
  const fits = (bytes: number) => modulo(bytes - offset, stride) === 0;
  const known = context.addressOf(base);
  if (known !== undefined && fits(range.address - known))
    return { bytes: range.address - known, from: "pointer", confidence: "exact" };
  const size = context.types.sizeOf(base.type) ?? 0;
  if (size > 0 && stride % size === 0) return { bytes: modulo(offset, size), from: "element", confidence: "likely" };
  const fromStart = range.mapping === undefined ? -1 : range.address - range.mapping.start;
  if (fromStart >= 0 && fromStart < size && fits(fromStart))
    return { bytes: fromStart, from: "pointer", confidence: "likely" };
  return undefined;
}

/** Undefined when nothing is known of what lies behind the pointer. */
export function describePart(
  base: PointerBase,
  value: Value,
  range: StoredRange,
  context: PartContext,
): ObjectPart | undefined {
  if (base.type === undefined) return undefined;
  const outer = outerPart(base, value, range, context);
  // A pointer to a number says less than the field that it was made to point to.
  if (outer !== undefined && !isAggregate(context.types, base.type)) return outer;
  const distance = distanceOf(base, value, range, context);
  const part =
    distance === undefined ? varyingPart(base, value, range, context) : fixedPart(base, distance, range, context);
  const confidence = base.maybe && part.confidence === "exact" ? "likely" : part.confidence;
  const around = outer === undefined ? [] : membersAround(outer, base, context);
  return { ...part, members: [...around, ...part.members], rooted: outer?.rooted ?? part.text, confidence };
}

/** The same store as the object says it that the pointer was made to point into. */
function outerPart(
  { within }: PointerBase,
  value: Value,
  range: StoredRange,
  context: PartContext,
): ObjectPart | undefined {
  if (within?.base?.kind !== "pointer" || within.base.weak) return undefined;
  return describePart(within.base, add(within, { ...value, base: undefined }), range, context);
}

/** The objects around the one that the pointer itself points to. */
function membersAround({ members }: ObjectPart, { type }: PointerBase, { table, types }: PartContext) {
  const own = table.canonical(types, type)?.number;
  const shared = members.findIndex((member) => member.type.number === own);
  return shared < 0 ? members : members.slice(0, shared);
}

/** An array in a struct that ends with it has as many elements as anybody likes. */
function reachesOn({ types }: PartContext, type: TypeId | undefined): boolean {
  const struct = describeBare(types, type);
  const last = isStruct(struct) ? struct.members.at(-1) : undefined;
  const array = last === undefined ? undefined : describeBare(types, last.type);
  return array?.kind === "array" && (array.counts[0] === undefined || array.counts[0] <= 1);
}

function fixedPart(base: PointerBase, distance: Distance, range: StoredRange, context: PartContext): OwnPart {
  const { types } = context;
  const { bytes, from } = distance;
  const size = types.sizeOf(base.type) ?? 0;
  const index = size > 0 && !reachesOn(context, base.type) ? Math.floor(bytes / size) : 0;
  const inner = bytes - index * size;
  const steps = fieldPath(types, base.type, inner, range.size);
  const path = spellPath(steps);
  const element = from === "element" ? "[]" : index === 0 ? "" : `[${index}]`;
  return {
    text: derefText(base, element === "" ? path : joined(element, path)),
    members: membersOf(base.type, steps, range.address - inner, context),
    confidence: distance.confidence,
    ...numberOf(types, steps.at(-1)?.type ?? base.type, range.size),
  };
}

/** DW_ATE_signed and DW_ATE_unsigned (DWARF 5, table 7.11). */
const numberKinds: ReadonlyMap<number, NumberKind> = new Map([
  [5, "signed"],
  [7, "unsigned"],
]);

function numberOf(types: TypeReader, type: TypeId | undefined, size: number): Pick<ObjectPart, "number"> {
  const bare = describeBare(types, type);
  const number = bare?.kind === "base" && bare.size === size && size > 1 ? numberKinds.get(bare.encoding) : undefined;
  return number === undefined ? {} : { number };
}

const joined = (element: string, path: string) =>
  path === "" || path.startsWith("[") ? element + path : `${element}.${path}`;

/** The index varies within the object: what is known is the way with its indices erased, and the innermost element. */
function varyingPart(base: PointerBase, value: Value, range: StoredRange, context: PartContext): OwnPart {
  const { types } = context;
  const size = types.sizeOf(base.type) ?? 0;
  const stride = Math.abs(value.stride);
  const offset = size === 0 || (value.offset >= 0 && value.offset < size) ? value.offset : modulo(value.offset, stride);
  const steps = fieldPath(types, base.type, offset, range.size);
  const known = steps.findLastIndex((step) => step.kind === "element" && dividesElement(types, step, stride));
  // The element that varies, and what lies around it, could be any.
  const members = membersOf(base.type, steps, range.address - offset, context).map((member) =>
    member.depth > known ? member : { ...member, instance: undefined, path: member.pattern },
  );
  const pattern = spellPath(steps, "erased");
  const confidence = known >= 0 ? "likely" : "guess";
  return { text: derefText(base, pattern), members, confidence, ...numberOf(types, steps.at(-1)?.type, range.size) };
}

const dividesElement = (types: TypeReader, { type }: FieldStep, stride: number): boolean => {
  const each = types.sizeOf(type) ?? 0;
  return each > 0 && stride % each === 0;
};

interface MemberAtDepth extends Membership {
  /** 0 for the object itself, then one for each step. */
  readonly depth: number;
}

/** The object and every struct and array on the way to the part. */
function membersOf(
  type: TypeId | undefined,
  steps: readonly FieldStep[],
  instance: number,
  { types, table }: PartContext,
): readonly MemberAtDepth[] {
  const parts = [{ type, offset: 0 }, ...steps];
  return parts.flatMap((part, depth) => {
    const canonical = isAggregate(types, part.type) || depth === 0 ? table.canonical(types, part.type) : undefined;
    if (canonical === undefined) return [];
    const rest = steps.slice(depth);
    const [path, pattern] = [spellPath(rest), spellPath(rest, "erased")];
    return [{ type: canonical, instance: instance + part.offset, path, pattern, depth }];
  });
}

export const isAggregate = (types: TypeReader, id: TypeId | undefined): boolean => {
  const type = bareType(types, id) === undefined ? undefined : describeBare(types, id);
  return isStruct(type) || type?.kind === "array";
};
