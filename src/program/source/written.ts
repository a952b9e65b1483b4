/**
 * What a piece of source writes, as text that a flush can take: `p->count = 1` writes `&p->count`, `sizeof(p->count)`. Always:
 * an operand that would do something when it is evaluated again (a call, an increment) is not repeated.
 */
import { hasEffect, type RepeatableCalls } from "./repeatable.ts";
import { isRustWrite, rustWritten } from "./rust-written.ts";
import { isRust, type SourceNode } from "./syntax.ts";

export interface WrittenRange {
  /** An expression for where it begins. */
  readonly address: string;
  /** An expression for how many bytes it is. */
  readonly size: string;
  /** Rust's: the same place as what a reference is taken to. */
  readonly place?: string;
  /** Rust's: that only unsafe code may say it. */
  readonly isUnsafe?: boolean;
  /** It may begin before what is written there: a bit-field has no address, and what it is in has. */
  readonly isWider?: boolean;
}

/** Names of bit-fields. */
export type BitFields = ReadonlySet<string>;

/** Of several trees: a file and the headers it includes. */
export const bitFieldsIn = (roots: readonly SourceNode[]): BitFields =>
  new Set(
    roots
      .flatMap((root) => root.descendantsOfType("bitfield_clause"))
      .flatMap((one) => one?.parent?.childrenForFieldName("declarator") ?? [])
      .flatMap((one) => one?.text ?? []),
  );

/** Which arguments of a call say where it writes and how much; the size may need the address. */
interface WritingCall {
  readonly address: number;
  readonly size: number | ((address: string) => string);
}

const wholeString = (address: string): string => `strlen(${address}) + 1`;

/** What a pointer points to, without `*&`. */
const pointedTo = (address: string): string => `sizeof(${address.startsWith("&") ? address.slice(1) : `*${address}`})`;

const atomicCalls = ["store_n", "exchange_n", "compare_exchange_n", "fetch_add", "fetch_sub", "fetch_or", "fetch_and"]
  .map((name) => `__atomic_${name}`)
  .concat([
    "__sync_bool_compare_and_swap",
    "__sync_val_compare_and_swap",
    "__sync_fetch_and_add",
    "__sync_lock_release",
  ])
  .concat(["atomic_store", "atomic_exchange", "atomic_fetch_add", "atomic_compare_exchange_strong"]);

const writingCalls: Readonly<Record<string, WritingCall>> = {
  ...Object.fromEntries(atomicCalls.map((name) => [name, { address: 0, size: pointedTo }])),
  memcpy: { address: 0, size: 2 },
  memmove: { address: 0, size: 2 },
  memset: { address: 0, size: 2 },
  strncpy: { address: 0, size: 2 },
  strcpy: { address: 0, size: wholeString },
  strcat: { address: 0, size: wholeString },
  stpcpy: { address: 0, size: wholeString },
  sprintf: { address: 0, size: wholeString },
  snprintf: { address: 0, size: wholeString },
};

/** What the innermost write around a node writes, as far as its statement; else the only write of the statement. */
export function writtenAt(
  node: SourceNode,
  statement: SourceNode,
  repeatable?: RepeatableCalls,
  bitFields?: BitFields,
): WrittenRange | undefined {
  const write = writeAt(node, statement);
  return write && (isRust(write) ? rustWritten(write, repeatable) : writtenBy(write, repeatable, bitFields));
}

/** The assignment, update or call that writes there. */
export function writeAt(node: SourceNode, statement: SourceNode): SourceNode | undefined {
  for (let at: SourceNode | null = node; at !== null; at = at.parent) {
    if (isWrite(at)) return at;
    if (at.equals(statement)) break;
  }
  const [only, another] = writesIn(statement);
  return another === undefined ? only : undefined;
}

/** What the write there writes to: the place of an assignment, the first argument of a call. */
export function writtenNode(node: SourceNode, statement: SourceNode): SourceNode | undefined {
  const write = writeAt(node, statement);
  if (write === undefined || isRust(write)) return undefined;
  const call = writingCall(write);
  const given = write.childForFieldName("arguments")?.namedChildren ?? [];
  return call === undefined ? operandOf(write) : (given[call.address] ?? undefined);
}

export const writesIn = (node: SourceNode): readonly SourceNode[] => [
  ...(isWrite(node) ? [node] : []),
  ...node.namedChildren.flatMap((child) => (child === null ? [] : writesIn(child))),
];

const isWrite = (node: SourceNode): boolean => {
  if (node.type !== "call_expression") return operandOf(node) !== undefined;
  return isRust(node) ? isRustWrite(node) : (writingCall(node) ?? operandOf(node)) !== undefined;
};

/** Which child a node writes to, by the node's kind. */
const operands: Readonly<Record<string, string>> = {
  assignment_expression: "left",
  compound_assignment_expr: "left",
  update_expression: "argument",
};

/** Methods of C++'s atomics that write. */
const atomicMethods = /^(?:store|exchange|compare_exchange_(?:weak|strong)|fetch_(?:add|sub|and|or|xor))$/;

/** `p->count.store` of its call. */
function atomicMethodOf(node: SourceNode): SourceNode | undefined {
  const called = node.type === "call_expression" ? node.childForFieldName("function") : null;
  const name = called?.type === "field_expression" ? called.childForFieldName("field")?.text : undefined;
  return name !== undefined && atomicMethods.test(name) ? called! : undefined;
}

function operandOf(node: SourceNode): SourceNode | undefined {
  const method = atomicMethodOf(node);
  if (method !== undefined) return method.childForFieldName("argument") ?? undefined;
  const field = operands[node.type];
  return (field !== undefined && node.childForFieldName(field)) || undefined;
}

function writtenBy(node: SourceNode, repeatable?: RepeatableCalls, bitFields?: BitFields): WrittenRange | undefined {
  const call = writingCall(node);
  const method = atomicMethodOf(node);
  if (method?.childForFieldName("operator")?.text === "->") return pointedToBy(operandOf(node)!, repeatable);
  return call === undefined
    ? placeWritten(operandOf(node), repeatable, bitFields)
    : writtenByCall(node, call, repeatable);
}

/** Of what an assignment names. */
export function placeWritten(
  operand: SourceNode | null | undefined,
  repeatable?: RepeatableCalls,
  bitFields: BitFields = noBitFields,
): WrittenRange | undefined {
  if (operand == null || hasEffect(operand, repeatable)) return undefined;
  if (operand.type === "parenthesized_expression") return placeWritten(operand.namedChild(0), repeatable, bitFields);
  if (bitFields.has(operand.childForFieldName("field")?.text ?? "")) return aroundBitField(operand);
  const pointer =
    operand.type === "pointer_expression" && operand.text.startsWith("*") && operand.childForFieldName("argument");
  return { address: pointer ? pointer.text : `&${operand.text}`, size: `sizeof(${operand.text})` };
}

const pointedToBy = (pointer: SourceNode, repeatable?: RepeatableCalls): WrittenRange | undefined =>
  hasEffect(pointer, repeatable) ? undefined : { address: pointer.text, size: `sizeof(*${pointer.text})` };

const noBitFields: BitFields = new Set();

/** What a bit-field is part of. */
function aroundBitField(field: SourceNode): WrittenRange | undefined {
  const around = field.childForFieldName("argument");
  if (around === null) return undefined;
  const isPointed = field.childForFieldName("operator")?.text === "->";
  const [address, object] = isPointed ? [around.text, `*${around.text}`] : [`&${around.text}`, around.text];
  return { address, size: `sizeof(${object})`, isWider: true };
}

function writingCall(node: SourceNode): WritingCall | undefined {
  const name = node.childForFieldName("function")?.text.replace(/^std::/, "") ?? "";
  return Object.hasOwn(writingCalls, name) ? writingCalls[name] : undefined;
}

function writtenByCall(
  node: SourceNode,
  call: WritingCall,
  repeatable: RepeatableCalls | undefined,
): WrittenRange | undefined {
  const given = node.childForFieldName("arguments")?.namedChildren ?? [];
  const text = (index: number): string | undefined => {
    const one = given[index];
    return one == null || hasEffect(one, repeatable) ? undefined : one.text;
  };
  const address = text(call.address);
  if (address === undefined) return undefined;
  const size = typeof call.size === "number" ? text(call.size) : call.size(address);
  return size === undefined ? undefined : { address, size };
}
