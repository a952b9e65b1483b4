/**
 * Every function of a unit with all the code made of it: its own, what was split off it, and every copy that was inlined
 * somewhere. Always: a copy that left no code of its own behind counts as all the code it was inlined into, since nothing tells
 * whether it ran but that.
 */
import { attributes, tags } from "./constants.ts";
import { type Entry, readEntry, visitEntries } from "./entries.ts";
import { nameOfFunction } from "./functions.ts";
import { type Range, rangesOf } from "./ranges.ts";
import type { Unit } from "./units.ts";

/** One copy. */
export interface FunctionCopy {
  readonly name: string | undefined;
  readonly linkageName: string | undefined;
  /** Where the function is written: a file's number in its unit, and a line. */
  readonly declared: { readonly unit: Unit; readonly file: number; readonly line: number };
  readonly ranges: readonly Range[];
}

const maxChain = 16;

/** The entry of the chain of declarations and abstract instances that says where the function is; none for what compilers add. */
function declarationOf(start: Entry): Entry | undefined {
  let entry: Entry | undefined = start;
  for (let step = 0; entry !== undefined && step < maxChain; step++) {
    if (entry.has(attributes.artificial)) return undefined;
    if (entry.has(attributes.declLine) && entry.has(attributes.declFile)) return entry;
    const origin: number | undefined =
      entry.reference(attributes.abstractOrigin) ?? entry.reference(attributes.specification);
    entry = origin === undefined ? undefined : entry.unit.info.entryAt(origin);
  }
  return undefined;
}

function copyOf(entry: Entry, ranges: readonly Range[]): FunctionCopy | undefined {
  const declaration = declarationOf(entry);
  const [file, line] = [attributes.declFile, attributes.declLine].map((attribute) => declaration?.number(attribute));
  if (declaration === undefined || file === undefined || line === undefined) return undefined;
  return { ...nameOfFunction(entry), declared: { unit: declaration.unit, file, line }, ranges };
}

export function listCopies(unit: Unit): readonly FunctionCopy[] {
  const copies: FunctionCopy[] = [];
  /** The code around the entries at hand. */
  const around: (readonly Range[])[] = [];
  const enter = (offset: number, { tag, hasChildren }: Entry["abbreviation"]) => {
    const isCode = tag === tags.subprogram || tag === tags.inlinedSubroutine;
    const entry = isCode ? readEntry(unit, offset) : undefined;
    const own = entry === undefined ? [] : rangesOf(entry);
    const outer = around.at(-1) ?? [];
    const ranges = own.length > 0 ? own : outer;
    const copy = entry !== undefined && ranges.length > 0 ? copyOf(entry, ranges) : undefined;
    // A function that is declared inside another, as in a block, has no code there.
    if (copy !== undefined && (own.length > 0 || tag === tags.inlinedSubroutine)) copies.push(copy);
    if (hasChildren) around.push(tag === tags.subprogram ? own : ranges);
  };
  visitEntries(unit, unit.rootOffset, enter, () => around.pop());
  return copies;
}
