/**
 * Types by name, spelled and measured: what a report needs to say `node.next` instead of `offset 16`. The index of names
 * is built on first use; a unit that cannot be read is left out of it and reported as `problem`.
 */
import type { InputError } from "../../base/index.ts";
import { openDebugInfo } from "./dwarf/open.ts";
import { describeType, type TypeId, type TypeInfo, visitNamedTypes } from "./dwarf/types.ts";
import type { DebugInfo, Unit } from "./dwarf/units.ts";
import { bareType, fieldPath, isStruct, spellPath } from "./field-path.ts";
import type { ElfFile } from "./read.ts";
import { Salvage } from "./salvage.ts";
import type { SymbolizerOptions } from "./symbolizer.ts";

export interface TypeReader {
  /** A complete type by its full name (`node`, `ns::list::node`), typedefs included. */
  find(name: string): TypeId | undefined;
  describe(id: TypeId): TypeInfo | undefined;
  /** As C++ would write it: `const node *`, `int [4]`. */
  spell(id: TypeId | undefined): string;
  sizeOf(id: TypeId | undefined): number | undefined;
  /** The member at a byte offset: `head.entries[3].key`, or undefined for padding and beyond the end. */
  memberAt(id: TypeId, offset: number): string | undefined;
  /** With the namespaces and types it is declared in: `ns::list::node`. Undefined for a type without a name. */
  fullName(id: TypeId): string | undefined;
  readonly problem: InputError | undefined;
}

export const createTypeReader = (elf: ElfFile, options: SymbolizerOptions = {}): TypeReader =>
  new FileTypes(elf, options);

const MAX_DEPTH = 64;

class FileTypes implements TypeReader {
  readonly #salvage = new Salvage();
  readonly #info: DebugInfo | undefined;
  readonly #described = new Map<TypeId, TypeInfo | undefined>();
  readonly #fullNames = new Map<Unit, ReadonlyMap<TypeId, string>>();
  #names: ReadonlyMap<string, TypeId> | undefined;

  constructor(elf: ElfFile, options: SymbolizerOptions) {
    this.#info = this.#salvage.attempt(() => openDebugInfo(elf, options));
  }

  get problem(): InputError | undefined {
    return this.#salvage.problem;
  }

  find(name: string): TypeId | undefined {
    this.#names ??= this.#indexNames();
    return this.#names.get(name);
  }

  describe(id: TypeId): TypeInfo | undefined {
    if (this.#described.has(id)) return this.#described.get(id);
    const info = this.#info;
    const type = info === undefined ? undefined : this.#salvage.attempt(() => describeType(info, id));
    this.#described.set(id, type);
    return type;
  }

  spell(id: TypeId | undefined, depth = 0): string {
    const type = this.#resolve(id, depth);
    if (type === undefined) return "void";
    const of = (inner: TypeId | undefined) => this.spell(inner, depth + 1);
    const spellers: { readonly [K in TypeInfo["kind"]]: (type: TypeInfo & { kind: K }) => string } = {
      base: ({ name }) => name,
      pointer: ({ target }) => `${of(target)} *`,
      reference: ({ target }) => `${of(target)} &`,
      "rvalue-reference": ({ target }) => `${of(target)} &&`,
      "member-pointer": ({ target }) => `${of(target)} ::*`,
      const: ({ target }) => `const ${of(target)}`,
      volatile: ({ target }) => `volatile ${of(target)}`,
      restrict: ({ target }) => `${of(target)} restrict`,
      atomic: ({ target }) => `_Atomic ${of(target)}`,
      typedef: ({ name }) => name,
      struct: ({ name }) => name ?? "struct {…}",
      class: ({ name }) => name ?? "class {…}",
      union: ({ name }) => name ?? "union {…}",
      array: ({ element, counts }) => `${of(element)} ${counts.map((count) => `[${count ?? ""}]`).join("")}`,
      enum: ({ name }) => name ?? "enum {…}",
      function: ({ result }) => `${of(result)} ()`,
      unspecified: ({ name }) => name,
    };
    return (spellers[type.kind] as (type: TypeInfo) => string)(type);
  }

  sizeOf(id: TypeId | undefined, depth = 0): number | undefined {
    const type = this.#resolve(id, depth);
    if (type === undefined) return undefined;
    if ("size" in type) return type.size;
    if (type.kind === "array") {
      const element = this.sizeOf(type.element, depth + 1);
      if (element === undefined || type.counts.includes(undefined)) return undefined;
      return (type.counts as readonly number[]).reduce((size, count) => size * count, element);
    }
    return "target" in type ? this.sizeOf(type.target, depth + 1) : undefined;
  }

  memberAt(id: TypeId, offset: number): string | undefined {
    // Nothing is known of a size: a union's first member speaks for it.
    const path = fieldPath(this, id, offset, 1, { left: 0 });
    const last = bareType(this, path.at(-1)?.type);
    const type = last === undefined ? undefined : this.describe(last);
    const isPadding = type === undefined || isStruct(type) || type.kind === "array";
    return isPadding || offset >= (path.at(-1)?.offset ?? 0) + (this.sizeOf(last) ?? 0) ? undefined : spellPath(path);
  }

  fullName(id: TypeId): string | undefined {
    const unit = this.#info?.unitOf(id);
    if (unit === undefined) return undefined;
    let names = this.#fullNames.get(unit);
    if (names === undefined) {
      const known = new Map<TypeId, string>();
      this.#salvage.attempt(() => visitNamedTypes(unit, (name, type) => known.set(type, name), "declarations too"));
      names = known;
      this.#fullNames.set(unit, names);
    }
    return names.get(id);
  }

  /** Undefined also where types nest deeper than any real ones, as only a crafted cycle does. */
  #resolve(id: TypeId | undefined, depth: number): TypeInfo | undefined {
    return id === undefined || depth > MAX_DEPTH ? undefined : this.describe(id);
  }

  #indexNames(): ReadonlyMap<string, TypeId> {
    const names = new Map<string, TypeId>();
    for (const unit of this.#info?.units ?? []) {
      this.#salvage.attempt(() =>
        visitNamedTypes(unit, (name, id) => {
          if (!names.has(name)) names.set(name, id);
        }),
      );
    }
    return names;
  }
}
