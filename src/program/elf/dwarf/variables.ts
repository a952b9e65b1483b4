/**
 * The variables of functions and units: parameters, locals, static and global ones (DWARF 5, section 4.1), with the calls
 * a function makes (section 3.4). A function's body is one tree of scopes, inlined functions included, read when first
 * asked for.
 */
import type { Abbreviation } from "./abbreviations.ts";
import { attributes, tags } from "./constants.ts";
import { type Entry, readEntry, visitEntries } from "./entries.ts";
import { type LocationRange, locationsOf } from "./locations.ts";
import { type Range, rangesOf } from "./ranges.ts";
import { childrenOf } from "./type-parts.ts";
import type { TypeId } from "./types.ts";
import type { Unit } from "./units.ts";

export interface Variable {
  readonly name: string;
  readonly type: TypeId | undefined;
  readonly parameter: boolean;
  /** Made by the compiler, such as `this`. */
  readonly artificial: boolean;
  readonly locations: readonly LocationRange[];
  /** For one that is a constant and stored nowhere. */
  readonly constant: bigint | Uint8Array | undefined;
  /** The offset of its entry, by which implicit pointers name it. */
  readonly entry: number;
}

export interface VariableScope {
  readonly kind: "function" | "inlined" | "block";
  /** Empty: as far as the scope around it. */
  readonly ranges: readonly Range[];
  readonly variables: Variable[];
  readonly inner: VariableScope[];
}

export interface CallSite {
  readonly returnAddress: number;
  readonly parameters: CallParameter[];
}

/** What the callee finds in a register or stack slot, or as a parameter: an expression in the caller's frame. */
export interface CallParameter {
  readonly location: Uint8Array | undefined;
  /** The offset of the parameter's entry, where the call says it so. */
  readonly parameter: number | undefined;
  readonly value: Uint8Array;
}

export interface FunctionBody {
  readonly unit: Unit;
  readonly scope: VariableScope;
  readonly frameBase: readonly LocationRange[];
  readonly result: TypeId | undefined;
  readonly calls: ReadonlyMap<number, CallSite>;
}

const scopeKinds: ReadonlyMap<number, VariableScope["kind"]> = new Map([
  [tags.subprogram, "function"],
  [tags.inlinedSubroutine, "inlined"],
  [tags.lexicalBlock, "block"],
  [tags.tryBlock, "block"],
  [tags.catchBlock, "block"],
]);
const variableTags: ReadonlySet<number> = new Set([tags.formalParameter, tags.variable]);
const callTags: ReadonlySet<number> = new Set([tags.callSite, tags.gnuCallSite]);
const callParameterTags: ReadonlySet<number> = new Set([tags.callSiteParameter, tags.gnuCallSiteParameter]);

const MAX_DEPTH = 500;

type Level = { readonly scope?: VariableScope; readonly call?: CallSite } | undefined;

/** The body of the function whose entry is at an offset. */
export function readBody(unit: Unit, offset: number): FunctionBody | undefined {
  const levels: Level[] = [];
  const calls = new Map<number, CallSite>();
  let outermost: VariableScope | undefined;
  const enter = (at: number, abbreviation: Abbreviation) => {
    const level = levels.at(-1);
    const here = enterEntry(unit, at, abbreviation, level, calls);
    outermost ??= here?.scope;
    if (levels.length > MAX_DEPTH) throw unit.cursorAt(at).fail();
    if (abbreviation.hasChildren) levels.push(here);
  };
  visitEntries(unit, offset, enter, () => levels.pop());
  const entry = readEntry(unit, offset);
  if (outermost === undefined || entry === undefined) return undefined;
  const result = inherited(entry, (one) => one.reference(attributes.type)) as TypeId | undefined;
  return { unit, scope: outermost, frameBase: locationsOf(entry, attributes.frameBase), result, calls };
}

/** What the children of an entry belong to; undefined for those that say nothing here. */
function enterEntry(
  unit: Unit,
  at: number,
  abbreviation: Abbreviation,
  level: Level,
  calls: Map<number, CallSite>,
): Level {
  const { tag } = abbreviation;
  const kind = scopeKinds.get(tag);
  if (kind !== undefined) {
    const entry = readEntry(unit, at) as Entry;
    // A function within a function is somebody else's, and so is what was only declared.
    if (kind === "function" && level !== undefined) return undefined;
    const scope: VariableScope = { kind, ranges: rangesOf(entry), variables: [...staticsOfOrigin(entry)], inner: [] };
    level?.scope?.inner.push(scope);
    return level === undefined && kind !== "function" ? undefined : { scope };
  }
  if (level?.scope !== undefined && variableTags.has(tag)) {
    const variable = readVariable(readEntry(unit, at) as Entry);
    if (variable !== undefined) level.scope.variables.push(variable);
  } else if (level?.scope !== undefined && callTags.has(tag)) {
    const call = readCallSite(readEntry(unit, at) as Entry);
    if (call !== undefined) calls.set(call.returnAddress, call);
    return call && { call };
  } else if (level?.call !== undefined && callParameterTags.has(tag)) {
    const parameter = readCallParameter(readEntry(unit, at) as Entry);
    if (parameter !== undefined) level.call.parameters.push(parameter);
  }
  return undefined;
}

/** Static variables of an inlined or cloned function are described once, in its abstract instance. */
function staticsOfOrigin(entry: Entry): readonly Variable[] {
  const offset = entry.reference(attributes.abstractOrigin);
  const origin = offset === undefined ? undefined : entry.unit.info.entryAt(offset);
  if (origin === undefined) return [];
  const children = childrenOf(origin).filter(({ tag }) => tag === tags.variable);
  entry.unit.info.spend(children.length);
  return children.filter((child) => child.has(attributes.location)).flatMap((child) => readVariable(child) ?? []);
}

const MAX_CHAIN = 16;

/** An attribute of an entry, or of the abstract instance or declaration it stands for. */
function inherited<T>(start: Entry, get: (entry: Entry) => T | undefined): T | undefined {
  let entry: Entry | undefined = start;
  for (let step = 0; entry !== undefined && step < MAX_CHAIN; step++) {
    const found = get(entry);
    if (found !== undefined) return found;
    const origin: number | undefined =
      entry.reference(attributes.abstractOrigin) ?? entry.reference(attributes.specification);
    entry = origin === undefined ? undefined : entry.unit.info.entryAt(origin);
  }
  return undefined;
}

/** Undefined for one without a name, of which nobody can speak, and for a declaration. */
export function readVariable(entry: Entry): Variable | undefined {
  const name = inherited(entry, (one) => one.text(attributes.name));
  if (name === undefined || entry.has(attributes.declaration)) return undefined;
  return {
    name,
    type: inherited(entry, (one) => one.reference(attributes.type)) as TypeId | undefined,
    parameter: entry.tag === tags.formalParameter,
    artificial: inherited(entry, (one) => one.number(attributes.artificial)) !== undefined,
    locations: locationsOf(entry, attributes.location),
    constant: inherited(entry, constantOf),
    entry: entry.offset,
  };
}

function constantOf(entry: Entry): bigint | Uint8Array | undefined {
  const number = entry.number(attributes.constValue);
  return number === undefined || !Number.isSafeInteger(number) ? entry.block(attributes.constValue) : BigInt(number);
}

function readCallSite(entry: Entry): CallSite | undefined {
  const address = entry.address(attributes.callReturnPc) ?? entry.address(attributes.lowPc);
  return address === undefined ? undefined : { returnAddress: address, parameters: [] };
}

function readCallParameter(entry: Entry): CallParameter | undefined {
  const location = entry.block(attributes.location);
  const parameter = entry.reference(attributes.callParameter) ?? entry.reference(attributes.abstractOrigin);
  const value = entry.block(attributes.callValue) ?? entry.block(attributes.gnuCallSiteValue);
  return value && { location, parameter, value };
}
