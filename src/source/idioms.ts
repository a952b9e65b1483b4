/**
 * How a program itself makes things durable: the functions and macros of its own sources that flush, fence or do both, found by
 * what their bodies call, down to instructions and libpmem. A patch should speak the program's own language.
 */
import type { LibraryCopies } from "./library-copies.ts";
import type { SourceNode } from "./syntax.ts";
import type { WrittenRange } from "./written.ts";

interface Doing {
  readonly flushes: boolean;
  readonly fences: boolean;
}

const flush: Doing = { flushes: true, fences: false };
const fence: Doing = { flushes: false, fences: true };
const both: Doing = { flushes: true, fences: true };

/** What everybody's helpers come down to. */
const primitives: Readonly<Record<string, Doing>> = {
  _mm_clwb: flush,
  _mm_clflushopt: flush,
  _mm_clflush: flush,
  _mm_sfence: fence,
  _mm_mfence: fence,
  __builtin_ia32_sfence: fence,
  __builtin_ia32_clflush: flush,
  pmem_flush: flush,
  pmem_drain: fence,
  pmem_persist: both,
};

/** In the text of inline assembly. */
const instructions: readonly (readonly [pattern: RegExp, doing: Doing])[] = [
  [/\b(?:clwb|clflush(?:opt)?|xsaveopt)\b/, flush],
  [/\b[sm]fence\b/, fence],
];

/** A function or macro of the program: `parameters` is 2 for an address and a size, 1 for a line, 0 for a fence. */
export interface DurabilityHelper extends Doing {
  readonly name: string;
  readonly parameters: number;
}

/** Longer ones do more than make something durable. */
const MAX_LINES = 15;

interface Definition {
  readonly name: string;
  readonly parameters: number;
  /** Whether it writes what others can see: then it does more than make something durable. */
  readonly writes: boolean;
  readonly body: SourceNode | string;
}

/** Of several trees: a file and the headers it includes. */
export function helpersIn(roots: readonly SourceNode[]): readonly DurabilityHelper[] {
  const definitions = roots.flatMap(definitionsIn);
  const known = new Map<string, Doing>(Object.entries(primitives));
  const helpers = new Map<string, DurabilityHelper>();
  // A helper may call one that is defined after it, or in another file: until nothing more is learnt.
  for (let before = -1; before !== helpers.size; ) {
    before = helpers.size;
    for (const { name, parameters, body, writes } of definitions) {
      const doing = writes || helpers.has(name) ? undefined : doingOf(body, known);
      if (doing === undefined || isUnlike(doing, parameters)) continue;
      known.set(name, doing);
      helpers.set(name, { name, parameters, ...doing });
    }
  }
  return [...helpers.values()];
}

const isUnlike = ({ flushes }: Doing, parameters: number): boolean =>
  flushes ? parameters === 0 || parameters > 2 : parameters > 0;

function definitionsIn(node: SourceNode): readonly Definition[] {
  if (node.type === "function_definition") return functionDefinition(node);
  if (node.type === "preproc_function_def") {
    const name = node.childForFieldName("name")?.text ?? "";
    const parameters = node.childForFieldName("parameters")?.namedChildCount ?? 0;
    const body = node.childForFieldName("value")?.text ?? "";
    return [{ name, parameters, body, writes: /(?:->\s*\w+|\]|\*\s*\w+)\s*=[^=]/.test(body) }];
  }
  return node.namedChildren.flatMap((child) => (child === null ? [] : definitionsIn(child)));
}

function functionDefinition(node: SourceNode): readonly Definition[] {
  let declarator = node.childForFieldName("declarator");
  while (declarator !== null && declarator.type !== "function_declarator")
    declarator = declarator.childForFieldName("declarator");
  const body = node.childForFieldName("body");
  const name = declarator?.childForFieldName("declarator")?.text;
  if (body === null || declarator === null || name === undefined) return [];
  const given = declarator.childForFieldName("parameters")?.namedChildren ?? [];
  const parameters = given.filter((one) => one !== null && one.text !== "void").length;
  return [{ name, parameters, body, writes: writesThrough(body) }];
}

const visible: ReadonlySet<string> = new Set(["field_expression", "subscript_expression", "pointer_expression"]);

const writesThrough = (node: SourceNode): boolean =>
  (node.type === "assignment_expression" && visible.has(node.childForFieldName("left")?.type ?? "")) ||
  node.namedChildren.some((child) => child !== null && writesThrough(child));

function doingOf(body: SourceNode | string, known: ReadonlyMap<string, Doing>): Doing | undefined {
  const text = typeof body === "string" ? body : body.text;
  if (text.split("\n").length > MAX_LINES) return undefined;
  const parts = [
    ...[...text.matchAll(/\b([A-Za-z_]\w*)\s*\(/g)].map(([, name]) => known.get(name!)),
    ...instructions.map(([pattern, doing]) => (/\basm\b|__asm__/.test(text) && pattern.test(text) ? doing : undefined)),
  ].filter((doing) => doing !== undefined);
  if (parts.length === 0) return undefined;
  return { flushes: parts.some(({ flushes }) => flushes), fences: parts.some(({ fences }) => fences) };
}

/** Statements for what a patch needs; undefined where the program has no words for it. */
export interface Idiom {
  readonly flush: ((range: WrittenRange) => readonly string[]) | undefined;
  readonly fence: readonly string[] | undefined;
  readonly persist: ((range: WrittenRange) => readonly string[]) | undefined;
  /** Where a library's own words are the program's, its copies are too. */
  readonly copies: LibraryCopies | undefined;
}

/** Helpers that take a line and not a range do where everything that is written lies on one. */
export interface Reach {
  readonly withinLine: boolean;
}
const anyReach: Reach = { withinLine: false };

type Ranged = (range: WrittenRange) => readonly string[];

const libraryCalls = [
  { name: "pmem_persist", parameters: 2, ...both },
  { name: "pmem_flush", parameters: 2, ...flush },
  { name: "pmem_drain", parameters: 0, ...fence },
] as const satisfies readonly DurabilityHelper[];

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
  const own = idiomOf(helpers, source, headers, reach);
  if (own.persist !== undefined || !includes([source, ...headers], "libpmemobj\\.h")) return own;
  const named = poolVariable(node);
  return libpmemobjIdiom((range) => named ?? (range && `pmemobj_pool_by_ptr(${range.address})`));
}

/** For a file of the program: what it calls most itself; libpmem's calls where it includes that header. */
export function idiomOf(
  helpers: readonly DurabilityHelper[],
  source: string,
  headers: readonly string[] = [],
  { withinLine }: Reach = anyReach,
): Idiom {
  const uses = ({ name }: DurabilityHelper) => source.split(new RegExp(`\\b${name}\\s*\\(`)).length;
  const given = [...helpers, ...(includes([source, ...headers], "libpmem\\.h") ? libraryCalls : [])];
  const all = given.toSorted((a, b) => uses(b) - uses(a));
  const find = (flushes: boolean, fences: boolean, parameters: number) =>
    all.find((one) => one.flushes === flushes && one.fences === fences && one.parameters === parameters);
  const findRanged = (fences: boolean) => find(true, fences, 2) ?? (withinLine ? find(true, fences, 1) : undefined);
  const [flusher, fencer, persister] = [findRanged(false), find(false, true, 0), findRanged(true)];
  const ranged =
    ({ name, parameters }: DurabilityHelper): Ranged =>
    ({ address, size }) => [parameters === 1 ? `${name}(${address});` : `${name}(${address}, ${size});`];
  const fenced = fencer && [`${fencer.name}();`];
  const flushed = flusher && ranged(flusher);
  const persisted: Ranged | undefined =
    persister !== undefined
      ? ranged(persister)
      : flushed !== undefined && fenced !== undefined
        ? (range) => [...flushed(range), ...fenced]
        : undefined;
  const isLibrary = libraryCalls.some((one) => one === persister);
  const copies: LibraryCopies | undefined = isLibrary ? { library: "libpmem" } : undefined;
  return { flush: flushed ?? persisted, fence: fenced, persist: persisted, copies };
}
