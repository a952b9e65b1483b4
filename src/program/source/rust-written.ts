/**
 * What a piece of Rust writes, as text that a flush can take: `slot.full = 1` writes `std::ptr::addr_of!(slot.full)`. Always: only
 * writes that have words of their own, an assignment or a call of the library's; what would be done again is not said again.
 */
import { hasEffect, type RepeatableCalls } from "./repeatable.ts";
import type { SourceNode } from "./syntax.ts";
import type { WrittenRange } from "./written.ts";

/** What a call of the library writes: through which operand, as what, and how many of it. */
interface RustCall {
  /** The receiver of a method, or the number of an argument. */
  readonly through: "receiver" | number;
  /** A raw pointer, the elements that it leads to, or an atomic. */
  readonly as: "pointer" | "elements" | "atomic";
  /** The argument that says how many are written; one is if this is not given. */
  readonly count?: number;
  /** Whether it has a value, which somebody may be waiting for. */
  readonly hasValue?: boolean;
}

const pointerMethods = Object.fromEntries(
  ["write", "write_volatile", "write_unaligned"].map((name) => [name, { through: "receiver", as: "pointer" } as const]),
);
const atomics = ["swap", "compare_exchange", "compare_exchange_weak"].concat(
  ["add", "sub", "or", "and", "xor", "max", "min"].map((name) => `fetch_${name}`),
);

const methods: Readonly<Record<string, RustCall>> = {
  ...pointerMethods,
  write_bytes: { through: "receiver", as: "pointer", count: 1 },
  copy_from: { through: "receiver", as: "pointer", count: 1 },
  copy_from_nonoverlapping: { through: "receiver", as: "pointer", count: 1 },
  copy_to: { through: 0, as: "pointer", count: 1 },
  copy_to_nonoverlapping: { through: 0, as: "pointer", count: 1 },
  copy_from_slice: { through: "receiver", as: "elements" },
  clone_from_slice: { through: "receiver", as: "elements" },
  fill: { through: "receiver", as: "elements" },
  store: { through: "receiver", as: "atomic" },
  ...Object.fromEntries(atomics.map((name) => [name, { through: "receiver", as: "atomic", hasValue: true } as const])),
};

/** Of `std::ptr`. */
const functions: Readonly<Record<string, RustCall>> = {
  ...Object.fromEntries(Object.keys(pointerMethods).map((name) => [name, { through: 0, as: "pointer" } as const])),
  write_bytes: { through: 0, as: "pointer", count: 2 },
  copy: { through: 1, as: "pointer", count: 2 },
  copy_nonoverlapping: { through: 1, as: "pointer", count: 2 },
};

const called = (node: SourceNode): { readonly name: string; readonly receiver: SourceNode | undefined } => {
  const callee = node.childForFieldName("function");
  const receiver = callee?.type === "field_expression" ? callee.childForFieldName("value") : null;
  return { name: /(\w+)$/.exec(callee?.text ?? "")?.[1] ?? "", receiver: receiver ?? undefined };
};

function callOf(node: SourceNode): RustCall | undefined {
  const { name, receiver } = called(node);
  const table = receiver === undefined ? functions : methods;
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

export const isRustWrite = (node: SourceNode): boolean => callOf(node) !== undefined;

/** Whether nobody can be waiting for what a call returns. */
export const isUnitCall = (node: SourceNode): boolean => callOf(node)?.hasValue === undefined && isRustWrite(node);

/** The library as the file itself names it. */
const libraryOf = ({ tree }: SourceNode): string =>
  /\bcore::/.test(tree.rootNode.text) && !/\bstd::/.test(tree.rootNode.text) ? "core" : "std";

export function rustWritten(node: SourceNode, repeatable?: RepeatableCalls): WrittenRange | undefined {
  const library = libraryOf(node);
  const sizeOf = (place: string) => `${library}::mem::size_of_val(&${place})`;
  const call = node.type === "call_expression" ? callOf(node) : undefined;
  if (call === undefined) {
    const place = node.childForFieldName("left");
    if (place === null || hasEffect(place, repeatable)) return undefined;
    return { address: `${library}::ptr::addr_of!(${place.text})`, size: sizeOf(place.text), place: place.text };
  }
  const given = node.childForFieldName("arguments")?.namedChildren ?? [];
  const said = (at: SourceNode | null | undefined) => (at == null || hasEffect(at, repeatable) ? undefined : at.text);
  const through = said(call.through === "receiver" ? called(node).receiver : given[call.through]);
  const count = call.count === undefined ? undefined : said(given[call.count]);
  if (through === undefined || (call.count !== undefined && count === undefined)) return undefined;
  return rangeThrough[call.as](through, count, sizeOf);
}

/** References are looked through by the methods of what they lead to, which `addr_of!` would not do. */
const rangeThrough: Readonly<
  Record<
    RustCall["as"],
    (through: string, count: string | undefined, sizeOf: (place: string) => string) => WrittenRange
  >
> = {
  pointer: (through, count, sizeOf) => ({
    address: through,
    size: count === undefined ? sizeOf(`*${through}`) : `${enclosed(count)} * ${sizeOf(`*${through}`)}`,
    ...(count === undefined && { place: `*${through}` }),
    isUnsafe: true,
  }),
  elements: (through, _count, sizeOf) => ({
    address: `${through}.as_ptr()`,
    size: sizeOf(/\.\.[^\]]*\]$/.test(through) ? through : `${through}[..]`),
  }),
  atomic: (through, _count, sizeOf) => ({
    address: `${through}.as_ptr()`,
    size: sizeOf(`*${through}.as_ptr()`),
    place: `*${through}.as_ptr()`,
    isUnsafe: true,
  }),
};

const enclosed = (text: string): string => (/^[\w.]+$/.test(text) ? text : `(${text})`);
