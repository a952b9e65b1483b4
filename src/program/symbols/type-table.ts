/**
 * Types of all files, made canonical: two of the same name and layout are one, whichever file or unit describes them.
 * Always:
 * - A canonical type's number never changes; equal numbers mean equal types.
 * - Typedefs and qualifiers are looked through; a struct that only a typedef names has the typedef's name.
 * - Pointers compare by how their target is spelled: layouts of targets are not followed, so that lists end.
 */
import { bareType, isStruct, type TypeId, type TypeInfo, type TypeReader } from "../elf/index.ts";

export interface CanonicalType {
  readonly number: number;
  readonly kind: TypeInfo["kind"];
  /** With namespaces; for a type without a name, what it is. */
  readonly name: string;
  readonly size: number | undefined;
}

const MAX_DEPTH = 64;

export class TypeTable {
  readonly #byLayout = new Map<string, CanonicalType>();
  readonly #known = new Map<TypeReader, Map<TypeId, CanonicalType | undefined>>();

  /** Undefined for void and for what cannot be read. */
  canonical(types: TypeReader, id: TypeId | undefined, depth = 0): CanonicalType | undefined {
    if (id === undefined || depth > MAX_DEPTH) return undefined;
    const known = this.#known.get(types) ?? new Map<TypeId, CanonicalType | undefined>();
    this.#known.set(types, known);
    if (!known.has(id)) {
      // A type within itself, which only a crafted file has, finds nothing.
      known.set(id, undefined);
      known.set(id, this.#intern(types, id, depth));
    }
    return known.get(id);
  }

  #intern(types: TypeReader, id: TypeId, depth: number): CanonicalType | undefined {
    const bare = completeType(types, id);
    const type = bare === undefined ? undefined : types.describe(bare);
    if (bare === undefined || type === undefined) return undefined;
    const name = nameOfType(types, id, bare);
    const size = types.sizeOf(bare);
    const layout = `${type.kind} ${name} ${size} ${this.#layout(types, type, depth)}`;
    const known = this.#byLayout.get(layout);
    if (known !== undefined) return known;
    const made: CanonicalType = { number: this.#byLayout.size, kind: type.kind, name, size };
    this.#byLayout.set(layout, made);
    return made;
  }

  /** What tells two types of one kind, name and size apart. */
  #layout(types: TypeReader, type: TypeInfo, depth: number): string {
    const part = (id: TypeId | undefined) => this.canonical(types, id, depth + 1)?.number ?? "void";
    if (isStruct(type))
      return type.members
        .map(({ name, offset, bits, ...member }) => {
          const place = bits === undefined ? offset : `${offset}:${bits.first}:${bits.width}`;
          return `${name ?? ""}@${place}=${part(member.type)}`;
        })
        .join(" ");
    if (type.kind === "array") return `${type.counts.join(",")}=${part(type.element)}`;
    if (type.kind === "enum") return type.values.map(({ name, value }) => `${name}=${value}`).join(" ");
    return type.kind === "base" ? String(type.encoding) : "";
  }
}

/** The type itself; where a file only declares it, its definition elsewhere in the file. */
export function completeType(types: TypeReader, id: TypeId | undefined): TypeId | undefined {
  const bare = bareType(types, id);
  const type = bare === undefined ? undefined : types.describe(bare);
  if (bare === undefined || !isStruct(type) || !type.declaration) return bare;
  const name = types.fullName(bare);
  return (name === undefined ? undefined : types.find(name)) ?? bare;
}

/** Its own name, or that of the nearest typedef on the way to it. */
function nameOfType(types: TypeReader, id: TypeId, bare: TypeId): string {
  const own = types.fullName(bare);
  if (own !== undefined) return own;
  let last: string | undefined;
  for (let at: TypeId | undefined = id, step = 0; at !== undefined && at !== bare && step < MAX_DEPTH; step++) {
    const type: TypeInfo | undefined = types.describe(at);
    if (type?.kind === "typedef") last = types.fullName(at) ?? type.name;
    at = type !== undefined && "target" in type ? type.target : undefined;
  }
  return last ?? types.spell(bare);
}
