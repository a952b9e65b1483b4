/**
 * Types as the compiler laid them out (DWARF 5, chapter 5). A type is named by the offset of its entry, so a list node
 * that points to itself is plain data; each description is built when first asked for.
 */
import type { Id } from "../../../base/index.ts";
import { attributes, tags } from "./constants.ts";
import { type Entry, readEntry, skipEntry } from "./entries.ts";
import { readElements, readEnumValues, readMembers } from "./type-parts.ts";
import type { DebugInfo, Unit } from "./units.ts";

export type TypeId = Id<"Type">;

/** Fields named `target` and `element` are undefined for void. Sizes are in bytes, undefined where the compiler is silent. */
export type TypeInfo =
  | { readonly kind: "base"; readonly name: string; readonly size: number | undefined; readonly encoding: number }
  | { readonly kind: PointerKind; readonly target: TypeId | undefined; readonly size: number }
  | { readonly kind: Qualifier; readonly target: TypeId | undefined }
  | { readonly kind: "typedef"; readonly name: string; readonly target: TypeId | undefined }
  | StructInfo
  | { readonly kind: "array"; readonly element: TypeId | undefined; readonly counts: readonly (number | undefined)[] }
  | EnumInfo
  | { readonly kind: "function"; readonly result: TypeId | undefined }
  | { readonly kind: "unspecified"; readonly name: string };

export type PointerKind = "pointer" | "reference" | "rvalue-reference" | "member-pointer";
export type Qualifier = "const" | "volatile" | "restrict" | "atomic";

export interface StructInfo {
  readonly kind: "struct" | "class" | "union";
  /** Undefined for an anonymous one. */
  readonly name: string | undefined;
  readonly size: number | undefined;
  /** Base classes and data members in order of declaration; static members are left out. */
  readonly members: readonly Member[];
  /** True when only its name is known here. */
  readonly declaration: boolean;
}

export interface Member {
  readonly name: string | undefined;
  readonly type: TypeId | undefined;
  /** In bytes from the start of the struct; for a bit field, of the byte its first bit is in. */
  readonly offset: number;
  /** Only for bit fields: first bit counted from `offset`, and width. */
  readonly bits: { readonly first: number; readonly width: number } | undefined;
  /** True for a base class. */
  readonly inherited: boolean;
}

export interface EnumInfo {
  readonly kind: "enum";
  readonly name: string | undefined;
  readonly size: number | undefined;
  readonly values: readonly { readonly name: string; readonly value: number }[];
}

type Describe = (entry: Entry) => TypeInfo;

const target = (entry: Entry) => entry.reference(attributes.type) as TypeId | undefined;
const nameOf = (entry: Entry) => entry.text(attributes.name);
const sizeOf = (entry: Entry) => entry.number(attributes.byteSize);
const pointer =
  (kind: PointerKind): Describe =>
  (entry) => ({ kind, target: target(entry), size: sizeOf(entry) ?? entry.unit.addressSize });
const qualified =
  (kind: Qualifier): Describe =>
  (entry) => ({ kind, target: target(entry) });
const structure =
  (kind: StructInfo["kind"]): Describe =>
  (entry) => ({
    kind,
    name: nameOf(entry),
    size: sizeOf(entry),
    members: readMembers(entry),
    declaration: entry.has(attributes.declaration),
  });

const describers: ReadonlyMap<number, Describe> = new Map<number, Describe>([
  [
    tags.baseType,
    (entry) => ({
      kind: "base",
      name: nameOf(entry) ?? "",
      size: sizeOf(entry),
      encoding: entry.number(attributes.encoding) ?? 0,
    }),
  ],
  [tags.pointerType, pointer("pointer")],
  [tags.referenceType, pointer("reference")],
  [tags.rvalueReferenceType, pointer("rvalue-reference")],
  [tags.pointerToMemberType, pointer("member-pointer")],
  [tags.constType, qualified("const")],
  [tags.volatileType, qualified("volatile")],
  [tags.restrictType, qualified("restrict")],
  [tags.atomicType, qualified("atomic")],
  [tags.typedef, (entry) => ({ kind: "typedef", name: nameOf(entry) ?? "", target: target(entry) })],
  [tags.structureType, structure("struct")],
  [tags.classType, structure("class")],
  [tags.unionType, structure("union")],
  [tags.arrayType, (entry) => ({ kind: "array", element: target(entry), counts: readElements(entry) })],
  [
    tags.enumerationType,
    (entry) => ({ kind: "enum", name: nameOf(entry), size: sizeOf(entry), values: readEnumValues(entry) }),
  ],
  [tags.subroutineType, (entry) => ({ kind: "function", result: target(entry) })],
  [tags.unspecifiedType, (entry) => ({ kind: "unspecified", name: nameOf(entry) ?? "void" })],
]);

export function describeType(info: DebugInfo, id: TypeId): TypeInfo | undefined {
  const entry = info.entryAt(id);
  return entry === undefined ? undefined : describers.get(entry.tag)?.(entry);
}

/** Types that can be asked for by name. */
const namedTags: ReadonlySet<number> = new Set([
  tags.baseType,
  tags.typedef,
  tags.structureType,
  tags.classType,
  tags.unionType,
  tags.enumerationType,
]);

const namespaceTags: ReadonlySet<number> = new Set([tags.namespace, tags.compileUnit, tags.partialUnit, tags.module]);

const MAX_SCOPES = 500;

/** Calls `found` for each named, complete type of a unit with its full name, `Outer::Inner` for nested ones. */
export function visitNamedTypes(
  unit: Unit,
  found: (name: string, id: TypeId) => void,
  which: "complete" | "declarations too" = "complete",
): void {
  const scopes: string[] = [];
  let at = unit.rootOffset;
  while (at < unit.end) {
    const cursor = unit.cursorAt(at);
    const code = cursor.uleb();
    const afterCode = cursor.position;
    if (code === 0) {
      scopes.pop();
      if (scopes.length === 0) return;
      at = afterCode;
      continue;
    }
    const abbreviation = unit.abbreviation(code);
    const isNamed = namedTags.has(abbreviation.tag);
    const entry = isNamed || namespaceTags.has(abbreviation.tag) ? (readEntry(unit, at) as Entry) : undefined;
    const name = abbreviation.tag === tags.compileUnit ? undefined : entry?.text(attributes.name);
    const scope = scopes.at(-1) ?? "";
    const isWanted = which === "declarations too" || entry?.has(attributes.declaration) === false;
    if (isNamed && name !== undefined && isWanted) {
      found(scope + name, at as TypeId);
    }
    if (scopes.length > MAX_SCOPES) throw cursor.fail();
    if (abbreviation.hasChildren) scopes.push(name === undefined ? scope : `${scope}${name}::`);
    else if (scopes.length === 0) return;
    at = skipEntry(unit, abbreviation, afterCode);
  }
}
