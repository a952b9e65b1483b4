/**
 * The functions of one unit with what was inlined into them: subprograms and inlined subroutines (DWARF 5, section 3.3),
 * as trees of address ranges. Names and call sites are read when a frame is asked for, not when the tree is built.
 */
import { assert } from "../../../base/index.ts";
import { IntervalIndex } from "../intervals.ts";
import type { Abbreviation } from "./abbreviations.ts";
import { attributes, tags } from "./constants.ts";
import { type Entry, readEntry, skipEntry } from "./entries.ts";
import { type Range, rangesOf } from "./ranges.ts";
import type { Unit } from "./units.ts";

export interface Scope {
  /** The offset of its entry. */
  readonly offset: number;
  readonly inlined: boolean;
  readonly ranges: readonly Range[];
  /** What was inlined here, directly or inside a lexical block. */
  readonly inner: Scope[];
}

/** Entries below which code can be described. All others are stepped over whole where the compiler says how. */
const containers: ReadonlySet<number> = new Set([
  tags.compileUnit,
  tags.partialUnit,
  tags.namespace,
  tags.module,
  tags.lexicalBlock,
  tags.tryBlock,
  tags.catchBlock,
  tags.subprogram,
  tags.inlinedSubroutine,
  tags.structureType,
  tags.classType,
  tags.unionType,
  tags.interfaceType,
  tags.enumerationType, // Rust puts methods of an enum here
  tags.variant,
]);

/** Every function of the unit that has code, outermost ones only. */
export function readFunctions(unit: Unit): readonly Scope[] {
  const functions: Scope[] = [];
  const enclosing: (Scope | undefined)[] = [];
  let at = unit.rootOffset;
  while (at < unit.end) {
    const cursor = unit.cursorAt(at);
    const code = cursor.uleb();
    const afterCode = cursor.position;
    if (code === 0) {
      enclosing.pop();
      if (enclosing.length === 0) break;
      at = afterCode;
      continue;
    }
    const abbreviation = unit.abbreviation(code);
    const parent = enclosing.at(-1);
    const isCode = abbreviation.tag === tags.subprogram || abbreviation.tag === tags.inlinedSubroutine;
    const scope = isCode ? readScope(unit, at) : undefined;
    if (scope !== undefined) (scope.inlined && parent !== undefined ? parent.inner : functions).push(scope);
    const next = skipEntry(unit, abbreviation, afterCode);
    const sibling = siblingAfter(unit, abbreviation, at);
    if (sibling !== undefined) {
      at = sibling;
      continue;
    }
    if (abbreviation.hasChildren) enclosing.push(scope ?? parent);
    else if (enclosing.length === 0) break;
    at = next;
  }
  return functions;
}

function readScope(unit: Unit, at: number): Scope | undefined {
  const entry = readEntry(unit, at) as Entry;
  const ranges = rangesOf(entry);
  if (ranges.length === 0) return undefined;
  return { offset: at, inlined: entry.tag === tags.inlinedSubroutine, ranges, inner: [] };
}

/** Where to go on after an entry whose children hold no code. */
function siblingAfter(unit: Unit, abbreviation: Abbreviation, at: number): number | undefined {
  if (!abbreviation.hasChildren || containers.has(abbreviation.tag)) return undefined;
  if (!abbreviation.attributes.some(({ attribute }) => attribute === attributes.sibling)) return undefined;
  const sibling = readEntry(unit, at)?.reference(attributes.sibling);
  return sibling !== undefined && sibling > at && sibling <= unit.end ? sibling : undefined;
}

const covers = (scope: Scope, address: number) =>
  scope.ranges.some(({ low, high }) => address >= low && address < high);

export const indexFunctions = (functions: readonly Scope[]): IntervalIndex<Scope> =>
  new IntervalIndex(functions.flatMap((scope) => scope.ranges.map(({ low, high }) => ({ low, high, value: scope }))));

/** The scopes around an address, innermost first; empty when no function covers it. */
export function scopesAt(functions: IntervalIndex<Scope>, address: number): readonly Scope[] {
  const chain: Scope[] = [];
  let found = functions.at(address)[0];
  while (found !== undefined) {
    assert(!chain.includes(found), "dwarf: scopes nest");
    chain.unshift(found);
    found = found.inner.find((scope) => covers(scope, address));
  }
  return chain;
}

export interface FunctionName {
  readonly name: string | undefined;
  readonly linkageName: string | undefined;
}

const MAX_CHAIN = 16;

/** An entry's own names, or those of the declaration or abstract instance it stands for. */
export function nameOfFunction(start: Entry): FunctionName {
  let name: string | undefined;
  let entry: Entry | undefined = start;
  for (let step = 0; entry !== undefined && step < MAX_CHAIN; step++) {
    const linkageName: string | undefined =
      entry.text(attributes.linkageName) ?? entry.text(attributes.mipsLinkageName);
    name ??= entry.text(attributes.name);
    if (linkageName !== undefined) return { name, linkageName };
    const origin: number | undefined =
      entry.reference(attributes.abstractOrigin) ?? entry.reference(attributes.specification);
    entry = origin === undefined ? undefined : entry.unit.info.entryAt(origin);
  }
  return { name, linkageName: undefined };
}
