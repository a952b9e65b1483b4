/** What a part of a typed object holds: pointers, and the object ids of libpmemobj, which point as well. */
import {
  bareType,
  type FieldStep,
  fieldPath,
  isStruct,
  spellPath,
  type TypeId,
  type TypeInfo,
  type TypeReader,
} from "../../elf/index.ts";
import { completeType } from "../type-table.ts";
import { type Base, exact, type PointerBase, type Value } from "./values.ts";

const WORD = 8;

export const describeBare = (types: TypeReader, id: TypeId | undefined): TypeInfo | undefined => {
  const bare = bareType(types, id);
  return bare === undefined ? undefined : types.describe(bare);
};

const pointerKinds: ReadonlySet<TypeInfo["kind"]> = new Set(["pointer", "reference", "rvalue-reference"]);

/** The base that a pointer of this type is; undefined for what is no pointer. */
export function pointerBase(types: TypeReader, id: TypeId | undefined, text: string): PointerBase | undefined {
  const pointer = describeBare(types, id);
  if (pointer === undefined || !pointerKinds.has(pointer.kind) || !("target" in pointer)) return undefined;
  const type = completeType(types, pointer.target);
  return {
    kind: "pointer",
    type,
    text,
    reference: pointer.kind !== "pointer",
    weak: isWeak(describeBare(types, type)),
    maybe: false,
    entry: undefined,
    within: undefined,
  };
}

/** Bytes, functions and void: any object may lie behind a pointer to them. */
const isWeak = (type: TypeInfo | undefined): boolean =>
  type === undefined || type.kind === "function" || type.kind === "unspecified" || ("size" in type && isByte(type));
const isByte = (type: TypeInfo & { readonly size: number | undefined }) =>
  type.size === 1 && (type.kind === "base" || type.kind === "enum");

/** What the eight bytes at an offset in an object hold, if that is a pointer; `text` names the object. */
export function wordAt(
  types: TypeReader,
  type: TypeId | undefined,
  offset: number,
  text: (path: string) => string,
): Value | undefined {
  const steps = fieldPath(types, type, offset, WORD);
  const id = idOf(types, type, steps, offset, text);
  if (id !== undefined) return exact(id, 0);
  const last = steps.at(-1);
  if ((last?.offset ?? 0) !== offset) return undefined;
  const base = pointerBase(types, last === undefined ? type : last.type, text(spellPath(steps)));
  return base && exact(base, 0);
}

/**
 * A typed object id is a union of the id itself and a pointer that only carries the type (libpmemobj/types.h, TOID). Its
 * second word is the offset in the pool.
 */
function idOf(
  types: TypeReader,
  type: TypeId | undefined,
  steps: readonly FieldStep[],
  offset: number,
  text: (path: string) => string,
): Base | undefined {
  const parts = [{ type, offset: 0 }, ...steps];
  for (const [index, part] of parts.entries()) {
    if (part.offset + WORD !== offset || !isObjectId(types, part.type)) continue;
    return objectIdBase(types, part.type, text(spellPath(steps.slice(0, index))));
  }
  return undefined;
}

export const isObjectId = (types: TypeReader, id: TypeId | undefined): boolean => targetOfId(types, id) !== undefined;

export function objectIdBase(types: TypeReader, id: TypeId | undefined, text: string): Base | undefined {
  const type = targetOfId(types, id);
  return type === undefined ? undefined : { kind: "pool-offset", type, text };
}

function targetOfId(types: TypeReader, id: TypeId | undefined): TypeId | undefined {
  const union = describeBare(types, id);
  if (!isStruct(union) || union.kind !== "union") return undefined;
  const field = (name: string) => union.members.find((member) => member.name === name)?.type;
  const pointer = describeBare(types, field("_type"));
  if (field("oid") === undefined || pointer?.kind !== "pointer") return undefined;
  return completeType(types, pointer.target);
}

/** How the source says a part of what a pointer points to. */
export function derefText({ text, reference }: PointerBase, path: string): string {
  if (path === "") return reference ? text : `*${text}`;
  if (path.startsWith("[")) return text + path;
  return `${text}${reference ? "." : "->"}${path}`;
}

/** How the source says a part of a variable. */
export const partText = (name: string, path: string): string =>
  path === "" || path.startsWith("[") ? name + path : `${name}.${path}`;
