/**
 * What a loop stores over all its turns, said once behind it: `for (i = 1; i < n; i++) p[i] = 0` stores `&p[1]`, `(n - 1) * sizeof(p[1])`.
 * Always:
 * - Only loops that count by one, or that test at their end, whose store is made at each turn; that are left by their condition
 *   alone; and that call nothing that does more than tell where something is.
 * - What is said behind the loop means the same at each of its turns: nothing that it is made of changes there. That elements
 *   which are stored are not themselves the loop's bounds is taken for granted.
 * - A loop may make no turn, and then nothing of what it would store to need be there: `runs` is asked first.
 */
import { hasEffect, type RepeatableCalls } from "./repeatable.ts";
import type { SourceNode } from "./syntax.ts";
import { type BitFields, placeWritten, type WrittenRange, writtenNode } from "./written.ts";

export interface LoopRange extends WrittenRange {
  /** Whether the loop makes a turn, in the words of the source; undefined where it always does. */
  readonly runs: string | undefined;
  /** Whether each turn stores to the same place. */
  readonly isOnePlace: boolean;
}

/** A variable that counts by one from `first` up to `bound`. */
interface Count {
  readonly variable: string;
  readonly first: SourceNode;
  readonly bound: SourceNode;
  readonly isBoundIncluded: boolean;
}

const leaving = ["break_statement", "continue_statement", "return_statement", "goto_statement"].concat([
  "throw_statement",
  "co_return_statement",
  "lambda_expression",
  "labeled_statement",
]);

const all = (node: SourceNode, types: string | string[]): readonly SourceNode[] =>
  node.descendantsOfType(types).filter((one) => one !== null);

/** `statement` is what `node` is in, where something is stored. */
export function rangeOfLoop(
  loop: SourceNode,
  node: SourceNode,
  statement: SourceNode,
  repeatable: RepeatableCalls,
  bitFields?: BitFields,
): LoopRange | undefined {
  const body = loop.childForFieldName("body");
  const count = loop.type === "for_statement" ? countOf(loop) : undefined;
  const isKnown = count !== undefined || loop.type === "do_statement";
  if (body === null || !isKnown || !isEachTurn(statement, body) || !isPlain(loop, body, repeatable)) return undefined;
  const written = writtenNode(node, statement);
  const said = written && placeOver(written, count, repeatable, bitFields);
  if (said === undefined) return undefined;
  const parts = [...said.parts, ...(count === undefined ? [] : [count.first, count.bound])];
  return parts.every((one) => !hasEffect(one, repeatable) && isSteady(one, loop, said.base)) ? said.range : undefined;
}

const isEachTurn = (statement: SourceNode, body: SourceNode): boolean =>
  body.equals(statement) || (body.type === "compound_statement" && (statement.parent?.equals(body) ?? false));

/** Left by its condition alone, and calling nothing that could fence. */
const isPlain = (loop: SourceNode, body: SourceNode, repeatable: RepeatableCalls): boolean =>
  all(body, leaving).length === 0 &&
  all(loop, ["call_expression", "gnu_asm_expression"]).every((call) => !hasCallEffect(call, repeatable));

const hasCallEffect = (call: SourceNode, repeatable: RepeatableCalls): boolean =>
  call.type !== "call_expression" || hasEffect(call, repeatable);

interface Said {
  readonly range: LoopRange;
  /** What it is made of. */
  readonly parts: readonly SourceNode[];
  /** What may be stored to beside it: the elements of this. */
  readonly base: string;
}

function placeOver(
  written: SourceNode,
  count: Count | undefined,
  repeatable: RepeatableCalls,
  bitFields: BitFields | undefined,
): Said | undefined {
  const runs = count && turnsOf(count);
  if (runs === "never") return undefined;
  if (count === undefined || !namesIn(written).has(count.variable)) {
    const place = placeWritten(written, repeatable, bitFields);
    return place && { range: { ...place, runs, isOnePlace: true }, parts: [written], base: written.text };
  }
  const base = baseOf(written, count.variable);
  if (base === undefined || namesIn(base).has(count.variable)) return undefined;
  const first = `${base.text}[${count.first.text}]`;
  const range = { address: `&${first}`, size: `${lengthOf(count)} * sizeof(${first})`, runs, isOnePlace: false };
  return { range, parts: [base], base: base.text };
}

/** `p` of `p[i]` and `p[i].a.b`; what is behind a pointer in an element is elsewhere. */
function baseOf(written: SourceNode, variable: string): SourceNode | undefined {
  let element: SourceNode | null = written;
  while (element?.type === "field_expression" && element.childForFieldName("operator")?.text === ".")
    element = element.childForFieldName("argument");
  if (element?.type !== "subscript_expression") return undefined;
  const index = element.childForFieldName("index") ?? element.childForFieldName("indices")?.namedChild(0);
  return index?.text === variable ? (element.childForFieldName("argument") ?? undefined) : undefined;
}

function countOf(loop: SourceNode): Count | undefined {
  const start = assigned(loop.childForFieldName("initializer"));
  const condition = loop.childForFieldName("condition");
  const update = loop.childForFieldName("update")?.text.replace(/\s/g, "") ?? "";
  const operator = condition?.childForFieldName("operator")?.text ?? "";
  const [left, bound] = ["left", "right"].map((side) => condition?.childForFieldName(side));
  if (start === undefined || bound == null || left?.text !== start.variable || !/^<=?$/.test(operator))
    return undefined;
  const { variable } = start;
  if (![`${variable}++`, `++${variable}`, `${variable}+=1`].includes(update)) return undefined;
  return { ...start, bound, isBoundIncluded: operator === "<=" };
}

/** `i` and `a` of `int i = a` and `i = a`, where nothing else is declared. */
function assigned(start: SourceNode | null): { readonly variable: string; readonly first: SourceNode } | undefined {
  if (start?.type === "assignment_expression" && start.childForFieldName("operator")?.text === "=")
    return pairOf(start.childForFieldName("left"), start.childForFieldName("right"));
  if (start?.type !== "declaration") return undefined;
  const declared = start.childrenForFieldName("declarator").filter((one) => one !== null);
  const [only] = declared;
  if (declared.length !== 1 || only?.type !== "init_declarator") return undefined;
  return pairOf(only.childForFieldName("declarator"), only.childForFieldName("value"));
}

const pairOf = (name: SourceNode | null, first: SourceNode | null) =>
  name?.type === "identifier" && first !== null ? { variable: name.text, first } : undefined;

/** Expressions that bind closer than any operator beside them. */
const closed = ["identifier", "number_literal", "field_expression", "subscript_expression", "call_expression"].concat([
  "parenthesized_expression",
  "qualified_identifier",
]);
const enclosed = (node: SourceNode): string => (closed.includes(node.type) ? node.text : `(${node.text})`);
const isNumber = ({ text }: SourceNode): boolean => /^(?:0|[1-9]\d{0,8})$/.test(text);

/** Of the numbers, or in the source's words. */
function turnsOf({ first, bound, isBoundIncluded }: Count): string | "never" | undefined {
  if (!isNumber(first) || !isNumber(bound)) return `${enclosed(first)} ${isBoundIncluded ? "<=" : "<"} ${bound.text}`;
  return Number(first.text) < Number(bound.text) + (isBoundIncluded ? 1 : 0) ? undefined : "never";
}

function lengthOf({ first, bound, isBoundIncluded }: Count): string {
  if (isNumber(first) && isNumber(bound))
    return `${Number(bound.text) - Number(first.text) + (isBoundIncluded ? 1 : 0)}`;
  const more = isBoundIncluded ? " + 1" : "";
  if (first.text === "0") return isBoundIncluded ? `(${enclosed(bound)} + 1)` : enclosed(bound);
  return `(${enclosed(bound)} - ${enclosed(first)}${more})`;
}

const namesIn = (node: SourceNode): ReadonlySet<string> => new Set(all(node, "identifier").map(({ text }) => text));

const memory = ["field_expression", "subscript_expression", "pointer_expression"];

/** Whether an expression has one value at every turn and behind the loop, where the loop's own variables are gone. */
function isSteady(part: SourceNode, loop: SourceNode, base: string): boolean {
  const changed = all(loop, ["assignment_expression", "update_expression"]).flatMap(
    (write) => write.childForFieldName("left") ?? write.childForFieldName("argument") ?? [],
  );
  const declared = all(loop, ["init_declarator", "declaration"])
    .flatMap((one) => one.childrenForFieldName("declarator").filter((declarator) => declarator !== null))
    .filter(({ type }) => type !== "init_declarator");
  const pointedTo = all(loop, "pointer_expression").filter(({ text }) => text.startsWith("&"));
  const names = namesIn(part);
  if ([...declared, ...pointedTo, ...changed.filter(isName)].some((one) => [...namesIn(one)].some((n) => names.has(n))))
    return false;
  const readsMemory = all(part, memory).length > 0;
  return !readsMemory || changed.every((one) => isName(one) || one.text === base || one.text.startsWith(`${base}[`));
}

const isName = ({ type }: SourceNode): boolean => type === "identifier";
