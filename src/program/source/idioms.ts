/** How a patch says that something is to be durable: in the program's own words, else in its library's, else by instructions that it uses. */
import { type DurabilityHelper, intrinsicsIn, libraryCalls } from "./helpers.ts";
import type { LibraryCopies } from "./library-copies.ts";
import { rustCall, rustName } from "./rust-words.ts";
import { isCpp, isRust, type SourceNode } from "./syntax.ts";
import type { WrittenRange } from "./written.ts";

/** Statements for what a patch needs; undefined where the program has no words for it. */
export interface Idiom {
  readonly flush: Ranged | undefined;
  readonly fence: readonly string[] | undefined;
  readonly persist: Ranged | undefined;
  /** Where a library's own words are the program's, its copies are too. */
  readonly copies: LibraryCopies | undefined;
}

/** Helpers that take a line and not a range do where everything that is written lies on one. */
export interface Reach {
  readonly withinLine: boolean;
}
const anyReach: Reach = { withinLine: false };

/** Undefined where the range has no words that the call takes. */
type Ranged = (range: WrittenRange) => readonly string[] | undefined;

const includes = (texts: readonly string[], header: string): boolean =>
  texts.some((text) => new RegExp(`#\\s*include\\s*<${header}>`).test(text));

/** libpmemobj's calls take the pool, which only what is around them has a name for. */
function libpmemobjIdiom(pool: (range: WrittenRange | undefined) => string | undefined): Idiom {
  const ranged =
    (name: string): Ranged =>
    (range) => [`${name}(${pool(range)}, ${range.address}, ${range.size});`];
  const known = pool(undefined);
  const fence = known === undefined ? undefined : [`pmemobj_drain(${known});`];
  const copies: LibraryCopies = {
    library: "libpmemobj",
    pool: (destination) => pool({ address: destination, size: "" })!,
  };
  return { flush: ranged("pmemobj_flush"), fence, persist: ranged("pmemobj_persist"), copies };
}

/** A variable that holds the pool where a node is: a parameter, a local before it, or one of the file. */
export function poolVariable(node: SourceNode): string | undefined {
  for (let at: SourceNode | null = node; at !== null; at = at.parent) {
    const parameters = at.type === "function_definition" ? at.childForFieldName("declarator") : null;
    for (const scope of [parameters, at.parent])
      for (const one of scope === null ? [] : declarationsIn(scope)) {
        const isPool = one.startIndex < node.startIndex && one.childForFieldName("type")?.text === "PMEMobjpool";
        const name = isPool && /^\*\s*(\w+)/.exec(one.childForFieldName("declarator")?.text ?? "")?.[1];
        if (name) return name;
      }
  }
  return undefined;
}

const declarationsIn = (scope: SourceNode): readonly SourceNode[] =>
  scope.type === "function_declarator" || scope.type === "pointer_declarator"
    ? scope.descendantsOfType("parameter_declaration").filter((one) => one !== null)
    : scope.namedChildren.filter((one) => one !== null && one.type === "declaration").filter((one) => one !== null);

/**
 * For a place in a file: the program's own words, or those of the library whose header it includes, itself or through the
 * program's `headers`.
 */
export function idiomAt(
  node: SourceNode,
  helpers: readonly DurabilityHelper[],
  source: string,
  headers: readonly string[] = [],
  reach: Reach = anyReach,
): Idiom {
  if (isRust(node)) return rustIdiom(node, helpers, source, reach);
  const own = idiomOf(helpers, source, headers, reach, isCpp(node));
  if (own.persist !== undefined || !includes([source, ...headers], "libpmemobj\\.h")) return own;
  const named = poolVariable(node);
  return libpmemobjIdiom((range) => named ?? (range && `pmemobj_pool_by_ptr(${range.address})`));
}

/** For a file of the program: what it calls most itself; libpmem's calls where it includes that header. */
export function idiomOf(
  helpers: readonly DurabilityHelper[],
  source: string,
  headers: readonly string[] = [],
  reach: Reach = anyReach,
  inCpp = false,
): Idiom {
  const given = [...helpers, ...(includes([source, ...headers], "libpmem\\.h") ? libraryCalls : [])];
  return idiomBy(cCall([source, ...headers].join("\n"), inCpp), given, intrinsicsIn(source, false), source, reach);
}

/** How a helper is called in a language, for a range unless it is a fence. */
type Saying = (helper: DurabilityHelper, range: WrittenRange | undefined) => string | undefined;

const cCall =
  (source: string, isCpp: boolean): Saying =>
  (helper, range) => {
    const { name, parameters, takesPlace = false } = helper;
    const first = range && (takesPlace ? placeAt(range.address) : argumentOf(helper, range.address, source, isCpp));
    const args = range === undefined ? [] : parameters === 1 ? [first] : [first, range.size];
    return `${name}(${args.join(", ")});`;
  };

/** The object at an address. */
const placeAt = (address: string): string => (/^&[\w.[\]>-]+$/.test(address) ? address.slice(1) : `*(${address})`);

/** An address as what a function takes: any pointer to data is a `void *`, but none that is volatile, in C++. */
function argumentOf({ pointee = "" }: DurabilityHelper, address: string, source: string, isCpp: boolean): string {
  const mayBeVolatile = isCpp && /\bvolatile\b/.test(source) && !/\bvolatile\b/.test(pointee);
  const isOfItsOwn = pointee !== "" && !/\bvoid\b/.test(pointee);
  return isOfItsOwn || (mayBeVolatile && pointee !== "") ? `(${pointee} *)${enclosed(address)}` : address;
}

const enclosed = (address: string): string => (/^&?[\w.[\]>()-]+$/.test(address) ? address : `(${address})`);

function rustIdiom(node: SourceNode, helpers: readonly DurabilityHelper[], source: string, reach: Reach): Idiom {
  const named = (one: DurabilityHelper) => ({ ...one, name: rustName(one.name, source) ?? "" });
  const [own, bare] = [helpers, intrinsicsIn(source, true)].map((all) => all.map(named).filter(({ name }) => name));
  const say: Saying = ({ name, rust }, range) => rust && rustCall(name, rust, range, node);
  return idiomBy(say, own!, bare!, source, reach);
}

function idiomBy(
  say: Saying,
  helpers: readonly DurabilityHelper[],
  bare: readonly DurabilityHelper[],
  source: string,
  { withinLine }: Reach,
): Idiom {
  const uses = ({ name }: DurabilityHelper) => source.split(new RegExp(`\\b${name}\\s*\\(`)).length;
  const all = helpers.toSorted((a, b) => uses(b) - uses(a));
  const findIn = (given: readonly DurabilityHelper[], flushes: boolean, fences: boolean, parameters: number) =>
    given.find((one) => one.flushes === flushes && one.fences === fences && one.parameters === parameters);
  const ofRanges = all.filter(({ isOfLine = false }) => withinLine || !isOfLine);
  const findRanged = (fences: boolean) =>
    findIn(ofRanges, true, fences, 2) ?? (withinLine ? findIn(all, true, fences, 1) : undefined);
  const [flusher, persister] = [findRanged(false), findRanged(true)];
  const fencer = findIn(all, false, true, 0) ?? findIn(bare, false, true, 0);
  const bareFlusher = findIn(bare, true, false, 1);
  const ranged = (helper: DurabilityHelper | undefined): Ranged | undefined =>
    helper && ((range) => listed(say(helper, range)));
  const fence = fencer && listed(say(fencer, undefined));
  const inTwo = (flush: Ranged | undefined): Ranged | undefined =>
    flush && fence && ((range) => inOrder(flush(range), fence));
  const flushed = ranged(flusher);
  const bareFlushed = withinLine ? ranged(bareFlusher) : overLines(bareFlusher);
  const persisted = ranged(persister) ?? inTwo(flushed);
  const isLibrary = libraryCalls.some((one) => one === persister);
  const copies: LibraryCopies | undefined = isLibrary ? { library: "libpmem" } : undefined;
  return {
    flush: flushed ?? persisted ?? bareFlushed,
    fence,
    persist: persisted ?? inTwo(bareFlushed),
    copies,
  };
}

/** Line after line, in C: intrinsics take no range. */
const overLines = (helper: DurabilityHelper | undefined): Ranged | undefined =>
  helper === undefined || helper.rust !== undefined
    ? undefined
    : ({ address, size }) => {
        const line = ["line", "cache_line", "flushed_line"].find((name) => !`${address} ${size}`.includes(name))!;
        const from = `(unsigned long)${enclosed(address)}`;
        const turns = `unsigned long ${line} = ${from} & ~63ul; ${line} < ${from} + ${enclosed(size)}; ${line} += 64`;
        return [`for (${turns}) ${helper.name}((void *)${line});`];
      };

const listed = (statement: string | undefined) => (statement === undefined ? undefined : [statement]);

const inOrder = (flush: readonly string[] | undefined, fence: readonly string[]) => flush && [...flush, ...fence];
