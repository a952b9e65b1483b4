/**
 * Rust's words for a flush or a fence: functions of the program by what their parameters take, as its other code names them. Always:
 * only what compiles by the types that are written there: raw pointers are cast, references are taken where any type will do; and
 * what is unsafe stands in unsafe code.
 */
import type { SourceNode } from "./syntax.ts";
import type { WrittenRange } from "./written.ts";

export interface RustHelper {
  /** What each parameter is given, by its type. */
  readonly takes: readonly RustParameter[];
  readonly isUnsafe: boolean;
}

export type RustParameter =
  /** A raw pointer; `cast` is its type where that is not any pointer. */
  | { readonly kind: "pointer"; readonly cast: string | undefined }
  | { readonly kind: "reference"; readonly isMutable: boolean }
  | { readonly kind: "size"; readonly cast: string | undefined };

/** The intrinsics that are called without any helper. */
export const bytePointer: RustParameter = { kind: "pointer", cast: "*const u8" };

const integers: ReadonlySet<string> = new Set(["u64", "i64", "u32", "i32", "isize", "size_t", "libc::size_t"]);

/** Undefined for what takes something else, or is a method of an object that may not be at hand. */
export function rustHelper(definition: SourceNode): RustHelper | undefined {
  const parent = definition.parent?.parent;
  if (parent?.type === "impl_item" || parent?.type === "trait_item" || parent?.type === "mod_item") return undefined;
  const generic = new Set(
    definition
      .childForFieldName("type_parameters")
      ?.descendantsOfType("type_identifier")
      .map((one) => one?.text) ?? [],
  );
  const given = definition.childForFieldName("parameters")?.namedChildren.filter((one) => one !== null) ?? [];
  const takes = given.map((one) => parameterOf(one.childForFieldName("type")?.text ?? "", generic));
  const known = takes.filter((one) => one !== undefined);
  const isForeign = definition.type === "function_signature_item";
  return known.length < takes.length
    ? undefined
    : { takes: known, isUnsafe: isForeign || isUnsafeFunction(definition) };
}

function parameterOf(type: string, generic: ReadonlySet<string | undefined>): RustParameter | undefined {
  if (type === "usize") return { kind: "size", cast: undefined };
  if (integers.has(type)) return { kind: "size", cast: type };
  const [, mark, to] = /^(\*\s*(?:const|mut)|&\s*(?:mut\b)?)\s*(.+)$/.exec(type) ?? [];
  if (mark === undefined || to === undefined) return undefined;
  if (mark.startsWith("&")) return generic.has(to) ? { kind: "reference", isMutable: mark !== "&" } : undefined;
  const isAny = generic.has(to);
  return { kind: "pointer", cast: isAny ? (/mut/.test(mark) ? "*mut _" : undefined) : type };
}

const isUnsafeFunction = (definition: SourceNode): boolean =>
  definition.namedChildren.some((one) => one?.type === "function_modifiers" && /\bunsafe\b/.test(one.text));

/** A call of a helper for a range; undefined where the range has no words of the kind it takes. */
export function rustCall(
  name: string,
  { takes, isUnsafe }: RustHelper,
  range: WrittenRange | undefined,
  node: SourceNode,
): string | undefined {
  const args = takes.map((one) => range && argumentFor[one.kind](range, one as never));
  if (args.includes(undefined)) return undefined;
  const call = `${name}(${args.join(", ")});`;
  return (isUnsafe || range?.isUnsafe) && !isInUnsafe(node) ? `unsafe { ${call} }` : call;
}

const cast = (text: string, type: string | undefined): string => (type === undefined ? text : `${text} as ${type}`);

const argumentFor: {
  readonly [Kind in RustParameter["kind"]]: (
    range: WrittenRange,
    parameter: Extract<RustParameter, { kind: Kind }>,
  ) => string | undefined;
} = {
  pointer: ({ address }, given) => cast(address, given.cast),
  reference: ({ place }, { isMutable }) => place && `&${isMutable ? "mut " : ""}${place}`,
  size: ({ size }, given) => cast(size, given.cast),
};

/** Whether what stands beside a node may do what is unsafe. */
function isInUnsafe(node: SourceNode): boolean {
  for (let at: SourceNode | null = node; at !== null; at = at.parent) {
    if (at.type === "unsafe_block") return true;
    if (at.type === "function_item") return isUnsafeFunction(at);
  }
  return false;
}

/** How a file calls a function: by its name, if it is defined or imported there, or by a path that it calls it by elsewhere. */
export function rustName(name: string, source: string): string | undefined {
  const paths = [...source.matchAll(new RegExp(`((?:\\w+\\s*::\\s*)*)\\b${name}\\s*(?:::\\s*<[^>]*>\\s*)?\\(`, "g"))];
  const isImported = new RegExp(`\\buse\\b[^;]*\\b${name}\\b[^;]*;`).test(source);
  const isDefined = new RegExp(`\\bfn\\s+${name}\\b`).test(source);
  if (isImported || isDefined) return name;
  const [path] = paths;
  return path === undefined ? undefined : `${path[1]}${name}`.replace(/\s/g, "");
}
