/**
 * How a program itself makes things durable: the functions and macros of its own sources that flush, fence or do both, found by
 * what their bodies call, down to instructions and libpmem.
 */
import { bytePointer, type RustHelper, rustHelper } from "./rust-words.ts";
import { isRust, type SourceNode } from "./syntax.ts";
import { writesIn } from "./written.ts";

interface Doing {
  readonly flushes: boolean;
  readonly fences: boolean;
}

const flush: Doing = { flushes: true, fences: false };
const fence: Doing = { flushes: false, fences: true };
const both: Doing = { flushes: true, fences: true };

/** What everybody's helpers come down to. */
const intrinsics: Readonly<Record<string, Doing>> = {
  _mm_clwb: flush,
  _mm_clflushopt: flush,
  _mm_clflush: flush,
  _mm_sfence: fence,
  _mm_mfence: fence,
  __builtin_ia32_sfence: fence,
  __builtin_ia32_clflush: flush,
};
const primitives: Readonly<Record<string, Doing>> = {
  ...intrinsics,
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
  readonly rust?: RustHelper;
}

export const libraryCalls = [
  { name: "pmem_persist", parameters: 2, ...both },
  { name: "pmem_flush", parameters: 2, ...flush },
  { name: "pmem_drain", parameters: 0, ...fence },
] as const satisfies readonly DurabilityHelper[];

/** Intrinsics that a source calls itself: where it has no better words, these are its own. */
export const intrinsicsIn = (source: string, isOfRust: boolean): readonly DurabilityHelper[] =>
  Object.entries(intrinsics)
    .filter(([name]) => new RegExp(`\\b${name}\\s*\\(`).test(source))
    .map(([name, doing]) => {
      const takes = doing.flushes ? [bytePointer] : [];
      return { name, parameters: takes.length, ...doing, ...(isOfRust && { rust: { takes, isUnsafe: true } }) };
    });

/** Longer ones do more than make something durable. */
const MAX_LINES = 15;

interface Definition {
  readonly name: string;
  readonly parameters: number;
  /** Whether it writes what others can see: then it does more than make something durable. */
  readonly writes: boolean;
  /** A function that is only declared does what it is known for. */
  readonly body: SourceNode | string | undefined;
  readonly rust?: RustHelper;
}

/** Of several trees: a file and the headers it includes. */
export function helpersIn(roots: readonly SourceNode[]): readonly DurabilityHelper[] {
  const definitions = roots.flatMap(definitionsIn);
  const known = new Map<string, Doing>(Object.entries(primitives));
  const helpers = new Map<string, DurabilityHelper>();
  // A helper may call one that is defined after it, or in another file: until nothing more is learnt.
  for (let before = -1; before !== helpers.size; ) {
    before = helpers.size;
    for (const { name, parameters, body, writes, rust } of definitions) {
      const made = body === undefined ? known.get(name) : doingOf(body, known);
      const doing = writes || helpers.has(name) ? undefined : made;
      if (doing === undefined || isUnlike(doing, parameters)) continue;
      known.set(name, doing);
      helpers.set(name, { name, parameters, ...doing, ...(rust && { rust }) });
    }
  }
  return [...helpers.values()];
}

const isUnlike = ({ flushes }: Doing, parameters: number): boolean =>
  flushes ? parameters === 0 || parameters > 2 : parameters > 0;

function definitionsIn(node: SourceNode): readonly Definition[] {
  if (node.type === "function_definition") return functionDefinition(node);
  if (node.type === "function_item" || node.type === "function_signature_item") return rustDefinition(node);
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

const assignsThrough = (node: SourceNode): boolean =>
  (node.type === "assignment_expression" && visible.has(node.childForFieldName("left")?.type ?? "")) ||
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
