/**
 * What a piece of source writes, as text that a flush can take: `p->count = 1` writes `&p->count`, `sizeof(p->count)`. Always:
 * an operand that would do something when it is evaluated again (a call, an increment) is not repeated.
 */
import type { SourceNode } from "./syntax.ts";

export interface WrittenRange {
  /** An expression for where it begins. */
  readonly address: string;
  /** An expression for how many bytes it is. */
  readonly size: string;
}

/** Which arguments of a call say where it writes and how much; the size may need the address. */
interface WritingCall {
  readonly address: number;
  readonly size: number | ((address: string) => string);
}

const wholeString = (address: string): string => `strlen(${address}) + 1`;

const writingCalls: Readonly<Record<string, WritingCall>> = {
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

const effects: ReadonlySet<string> = new Set(["call_expression", "update_expression", "assignment_expression"]);

const hasEffect = (node: SourceNode): boolean =>
  effects.has(node.type) || node.namedChildren.some((child) => child !== null && hasEffect(child));

/** What the innermost write around a node writes, as far as its statement; else the only write of the statement. */
export function writtenAt(node: SourceNode, statement: SourceNode): WrittenRange | undefined {
  for (let at: SourceNode | null = node; at !== null; at = at.parent) {
    if (isWrite(at)) return writtenBy(at);
    if (at.equals(statement)) break;
  }
  const [only, another] = writesIn(statement);
  return only === undefined || another !== undefined ? undefined : writtenBy(only);
}

const writesIn = (node: SourceNode): readonly SourceNode[] => [
  ...(isWrite(node) ? [node] : []),
  ...node.namedChildren.flatMap((child) => (child === null ? [] : writesIn(child))),
];

const isWrite = (node: SourceNode): boolean =>
  node.type === "call_expression" ? writingCall(node) !== undefined : operandOf(node) !== undefined;

/** Which child a node writes to, by the node's kind. */
const operands: Readonly<Record<string, string>> = { assignment_expression: "left", update_expression: "argument" };

function operandOf(node: SourceNode): SourceNode | undefined {
  const field = operands[node.type];
  return (field !== undefined && node.childForFieldName(field)) || undefined;
}

function writtenBy(node: SourceNode): WrittenRange | undefined {
  const call = writingCall(node);
  return call === undefined ? place(operandOf(node)) : writtenByCall(node, call);
}

function place(operand: SourceNode | null | undefined): WrittenRange | undefined {
  if (operand == null || hasEffect(operand)) return undefined;
  if (operand.type === "parenthesized_expression") return place(operand.namedChild(0));
  const pointer =
    operand.type === "pointer_expression" && operand.text.startsWith("*") && operand.childForFieldName("argument");
  return { address: pointer ? pointer.text : `&${operand.text}`, size: `sizeof(${operand.text})` };
}

function writingCall(node: SourceNode): WritingCall | undefined {
  const name = node.childForFieldName("function")?.text.replace(/^std::/, "") ?? "";
  return Object.hasOwn(writingCalls, name) ? writingCalls[name] : undefined;
}

function writtenByCall(node: SourceNode, call: WritingCall): WrittenRange | undefined {
  const given = node.childForFieldName("arguments")?.namedChildren ?? [];
  const text = (index: number): string | undefined => {
    const one = given[index];
    return one == null || hasEffect(one) ? undefined : one.text;
  };
  const address = text(call.address);
  if (address === undefined) return undefined;
  const size = typeof call.size === "number" ? text(call.size) : call.size(address);
  return size === undefined ? undefined : { address, size };
}
