/**
 * What may be written in the source once more: an expression that does nothing but tell where something is. Calls count if
 * the function does no more than return such an expression (`at(tree, name)`). Always: of several functions of one name, all must.
 */
import { isRust, type SourceNode } from "./syntax.ts";

/** Names of functions whose call does nothing. */
export type RepeatableCalls = ReadonlySet<string>;

const effects: ReadonlySet<string> = new Set([
  "update_expression",
  "assignment_expression",
  "new_expression",
  "delete_expression",
  "co_await_expression",
  "throw_statement",
  "lambda_expression",
  "statement_expression",
  ...["compound_assignment_expr", "macro_invocation", "closure_expression", "await_expression", "try_expression"],
]);

const noCalls: RepeatableCalls = new Set();

/** libpmemobj's, which tell where an object is. */
const objectCalls: ReadonlySet<string> = new Set(["D_RW", "D_RO", "DIRECT_RW", "DIRECT_RO", "pmemobj_direct"]);

/** Methods of Rust's pointers and slices that tell where something is. */
const rustCalls = ["add", "sub", "offset", "cast", "as_ptr", "as_mut_ptr", "len"];

export const hasEffect = (node: SourceNode, repeatable: RepeatableCalls = noCalls): boolean =>
  effects.has(node.type) ||
  (node.type === "call_expression" && !isRepeatableCall(node, repeatable)) ||
  node.namedChildren.some((child) => child !== null && hasEffect(child, repeatable));

const isRepeatableCall = (call: SourceNode, repeatable: RepeatableCalls): boolean =>
  objectCalls.has(calledName(call)) || repeatable.has(calledName(call)) || isRustAddress(call);

/** `f` of `f(x)`, `o.f(x)`, `p->f(x)` and `n::f(x)`. */
const calledName = (call: SourceNode): string =>
  /(\w+)$/.exec(call.childForFieldName("function")?.text ?? "")?.[1] ?? "";

const isRustAddress = (call: SourceNode): boolean =>
  isRust(call) &&
  call.childForFieldName("function")?.type === "field_expression" &&
  rustCalls.includes(calledName(call));

/** Of several trees: a file and the headers it includes. */
export function repeatableCalls(roots: readonly SourceNode[]): RepeatableCalls {
  const bodies = new Map<string, (SourceNode | undefined)[]>();
  for (const root of roots)
    for (const one of root.descendantsOfType(["function_definition", "function_item"])) {
      const name = one === null ? undefined : definedName(one);
      if (name !== undefined) bodies.set(name, [...(bodies.get(name) ?? []), returnedBy(one!)]);
    }
  const found = new Set<string>();
  // A function may call one that is found only later: until nothing more is learnt.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [name, returned] of bodies)
      if (returned.every((one) => one !== undefined && !hasEffect(one, found))) found.add(name);
  }
  return found;
}

function definedName(definition: SourceNode): string | undefined {
  if (definition.type === "function_item") return definition.childForFieldName("name")?.text;
  const declarator = definition.descendantsOfType("function_declarator")[0];
  return /(\w+)$/.exec(declarator?.childForFieldName("declarator")?.text ?? "")?.[1];
}

/** The one expression that a function consists of. */
function returnedBy(definition: SourceNode): SourceNode | undefined {
  const statements = definition.childForFieldName("body")?.namedChildren.filter((one) => one?.type !== "comment") ?? [];
  const [only] = statements;
  if (statements.length === 1 && isRust(definition)) return expressionOf(only ?? null);
  if (statements.length !== 1 || only?.type !== "return_statement") return undefined;
  return only.namedChild(0) ?? undefined;
}

/** What a block of Rust consists of, unsafe or not, if it is an expression. */
function expressionOf(node: SourceNode | null): SourceNode | undefined {
  if (node?.type === "expression_statement" && !node.text.endsWith(";")) return expressionOf(node.namedChild(0));
  if (node === null || /_statement$|_declaration$/.test(node.type)) return undefined;
  if (node.type !== "unsafe_block" && node.type !== "block") return node;
  return node.namedChildCount === 1 ? expressionOf(node.namedChild(0)) : undefined;
}
