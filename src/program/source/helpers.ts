/**
 * How a program itself makes things durable: the functions and macros of its own sources that flush, fence or do both, found by
 * what their bodies call, down to instructions and libpmem.
 */
import { calledForSure, isConditional } from "./conditional.ts";
import { both, type Doing, fence, flush, instructions, intrinsics, primitives } from "./flush-words.ts";
import { bytePointer, type RustHelper, rustHelper } from "./rust-words.ts";
import { isRust, type SourceNode } from "./syntax.ts";
import { writesIn } from "./written.ts";

/** A function or macro of the program: `parameters` is 2 for an address and a size, 1 for a line, 0 for a fence. */
export interface DurabilityHelper extends Doing {
  readonly name: string;
  readonly parameters: number;
  /** Of a function in C or C++: what its first parameter points to, `const void` or `char`. */
  readonly pointee?: string;
  /** It is given the object itself and not its address: `P(x)` that flushes `&(x)`, or a reference. */
  readonly takesPlace?: boolean;
  /** Of one that takes a size: it flushes the line of the address alone. */
  readonly isOfLine?: boolean;
  readonly rust?: RustHelper;
}

export const libraryCalls = [
  { name: "pmem_persist", parameters: 2, pointee: "const void", ...both },
  { name: "pmem_flush", parameters: 2, pointee: "const void", ...flush },
  { name: "pmem_drain", parameters: 0, ...fence },
] as const satisfies readonly DurabilityHelper[];

/** Intrinsics that a source calls itself: where it has no better words, these are its own. */
export const intrinsicsIn = (source: string, isOfRust: boolean): readonly DurabilityHelper[] =>
  Object.entries(intrinsics)
    .filter(([name]) => new RegExp(`\\b${name}\\s*\\(`).test(source))
    .map(([name, doing]) => {
      const takes = doing.flushes ? [bytePointer] : [];
      const said = isOfRust ? { rust: { takes, isUnsafe: true } } : { pointee: "void" };
      return { name, parameters: takes.length, ...doing, ...said };
    });

/** Longer ones do more than make something durable. */
const MAX_LINES = 15;

interface Definition {
  readonly name: string;
  readonly parameters: number;
  /** Of a function in C: whether its first parameter is an address, and its second none. */
  readonly takesRange?: boolean;
  /** Whether it writes what others can see: then it does more than make something durable. */
  readonly writes: boolean;
  /** A function that is only declared does what it is known for. */
  readonly body: SourceNode | string | undefined;
  readonly mayBeLeftOut?: boolean;
  readonly pointee?: string;
  readonly takesPlace?: boolean;
  readonly rust?: RustHelper;
}

/** Of several trees: a file and the headers it includes. */
export function helpersIn(roots: readonly SourceNode[]): readonly DurabilityHelper[] {
  const definitions = withoutDoubt(roots.flatMap(definitionsIn), roots);
  const named = new Map(definitions.map((one) => [one.name, one]));
  const known = new Map<string, Doing>(Object.entries(primitives));
  const helpers = new Map<string, DurabilityHelper>();
  // A helper may call one that is defined after it, or in another file: until nothing more is learnt.
  for (let before = -1; before !== helpers.size; ) {
    before = helpers.size;
    for (const definition of definitions) {
      const { name, parameters, body, pointee, takesPlace, rust } = definition;
      const made = body === undefined ? known.get(name) : doingOf(body, known);
      const doing = helpers.has(name) || doesMore(definition, named, known) ? undefined : made;
      if (doing === undefined || isUnlike(doing, parameters)) continue;
      known.set(name, doing);
      const said = {
        ...(pointee !== undefined && { pointee }),
        ...(takesPlace && { takesPlace }),
        ...(rust && { rust }),
      };
      helpers.set(name, { name, parameters, ...doing, ...said });
    }
  }
  return [...helpers.values()];
}

/**
 * What a call of that name surely means: of several that the preprocessor chooses between, those that are called alike, and one
 * that it may leave out where the program calls it in any case. Rust has no preprocessor.
 */
function withoutDoubt(definitions: readonly Definition[], roots: readonly SourceNode[]): readonly Definition[] {
  const calls = new Map<string, string[]>();
  for (const { name, parameters, takesPlace = false } of definitions)
    calls.set(name, [...(calls.get(name) ?? []), `${parameters} ${takesPlace}`]);
  const called = definitions.some(({ mayBeLeftOut }) => mayBeLeftOut) ? calledForSure(roots) : undefined;
  return definitions.filter(({ name, rust, mayBeLeftOut }) => {
    const ways = calls.get(name)!;
    const isThere = !mayBeLeftOut || ways.length > 1 || called!.has(name);
    return rust !== undefined || (isThere && new Set(ways).size === 1);
  });
}

const isUnlike = ({ flushes }: Doing, parameters: number): boolean =>
  flushes ? parameters === 0 || parameters > 2 : parameters > 0;

function definitionsIn(node: SourceNode): readonly Definition[] {
  if (node.type === "function_definition") return functionDefinition(node);
  if (node.type === "function_item" || node.type === "function_signature_item") return rustDefinition(node);
  if (node.type === "preproc_function_def") {
    const name = node.childForFieldName("name")?.text ?? "";
    const given = node.childForFieldName("parameters")?.namedChildren ?? [];
    const parameters = given.length;
    const body = node.childForFieldName("value")?.text ?? "";
    const takesPlace = given[0] != null && new RegExp(`&\\s*\\(*\\s*${given[0].text}\\b`).test(body);
    const mayBeLeftOut = isConditional(node);
    return [
      { name, parameters, body, takesPlace, mayBeLeftOut, writes: /(?:->\s*\w+|\]|\*\s*\w+)\s*=[^=]/.test(body) },
    ];
  }
  return node.namedChildren.flatMap((child) => (child === null ? [] : definitionsIn(child)));
}

function functionDefinition(node: SourceNode): readonly Definition[] {
  let declarator = node.childForFieldName("declarator");
  while (declarator !== null && declarator.type !== "function_declarator")
    declarator = declarator.childForFieldName("declarator");
  const body = node.childForFieldName("body");
  // A method needs an object, which may not be at hand.
  if (node.parent?.type === "field_declaration_list") return [];
  const name = declarator?.childForFieldName("declarator")?.text;
  if (body === null || declarator === null || name === undefined) return [];
  const given = declarator.childForFieldName("parameters")?.namedChildren ?? [];
  const parameters = given.filter((one) => one !== null && one.text !== "void");
  const [first = true, second = false] = parameters.map((one) => /[*[&]/.test(one!.text));
  const takesRange = first && !second;
  const [object] = parameters;
  const takesPlace = object != null && /&/.test(object.text);
  const pointee = object != null && !takesPlace && !isGeneric(node) ? pointeeOf(object) : undefined;
  const said = { takesPlace, mayBeLeftOut: isConditional(node), ...(pointee !== undefined && { pointee }) };
  return [{ name, parameters: parameters.length, takesRange, body, ...said, writes: writesThrough(body) }];
}

const isGeneric = ({ parent }: SourceNode): boolean => parent?.type === "template_declaration";

/** `const char` of `const char *p`. */
const pointeeOf = (parameter: SourceNode): string =>
  parameter.text
    .slice(0, parameter.text.search(/[*[]/))
    .replace(/\b(?:register|restrict)\b/g, "")
    .replace(/\s+/g, " ")
    .trim();

/** What looks like a call, or does nothing that others notice. */
const harmless =
  /^(?:if|for|while|switch|return|sizeof|_?alignof|asm|__asm(?:__)?|volatile|__volatile__|defined|assert|(?:un)?likely|__builtin_expect|char|int|long|unsigned|\w+_t|(?:VALGRIND|ANNOTATE)_\w+)$/;

const calledIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?<!(?:\.|->)\s*)\b([A-Za-z_]\w*)\s*\(/g)].map(([, name]) => name!);

/**
 * Whether it writes, or calls what nobody knows: a patch must not do that again. What a function of the program calls counts as its
 * own. Rust's helpers are judged by what they write alone: much of what they call are methods.
 */
function doesMore(
  { name, body, writes, rust, takesRange = true }: Definition,
  named: ReadonlyMap<string, Definition>,
  known: ReadonlyMap<string, Doing>,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  if (writes || (seen.size === 0 && !takesRange)) return true;
  if (rust !== undefined || body === undefined) return false;
  const within = new Set([...seen, name]);
  return calledIn(typeof body === "string" ? body : body.text).some((called) => {
    if (known.has(called) || harmless.test(called) || within.has(called)) return false;
    const own = named.get(called);
    return own === undefined || doesMore(own, named, known, within);
  });
}

function rustDefinition(node: SourceNode): readonly Definition[] {
  const rust = rustHelper(node);
  const name = node.childForFieldName("name")?.text ?? "";
  const body = node.childForFieldName("body") ?? undefined;
  if (rust === undefined) return [];
  return [{ name, parameters: rust.takes.length, body, rust, writes: body !== undefined && writesThrough(body) }];
}

const visible: ReadonlySet<string> = new Set(["field_expression", "subscript_expression", "pointer_expression"]);

const writesThrough = (node: SourceNode): boolean =>
  isRust(node)
    ? writesIn(node).some((write) => write.childForFieldName("left")?.type !== "identifier")
    : assignsThrough(node);

/** The fields that hold what is written. */
const writing: Readonly<Record<string, string>> = { assignment_expression: "left", update_expression: "argument" };

const assignsThrough = (node: SourceNode): boolean =>
  visible.has(node.childForFieldName(writing[node.type] ?? "")?.type ?? "") ||
  node.namedChildren.some((child) => child !== null && assignsThrough(child));

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
