/**
 * What may be written in the source once more: an expression that does nothing but tell where something is. Calls count if
 * the function does no more than return such an expression (`at(tree, name)`). Always: of several functions of one name, all must.
 */
import type { SourceNode } from "./syntax.ts";

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
]);

const noCalls: RepeatableCalls = new Set();

export const hasEffect = (node: SourceNode, repeatable: RepeatableCalls = noCalls): boolean =>
  effects.has(node.type) ||
  (node.type === "call_expression" && !repeatable.has(calledName(node))) ||
  node.namedChildren.some((child) => child !== null && hasEffect(child, repeatable));

/** `f` of `f(x)`, `o.f(x)`, `p->f(x)` and `n::f(x)`. */
const calledName = (call: SourceNode): string =>
  /(\w+)$/.exec(call.childForFieldName("function")?.text ?? "")?.[1] ?? "";

/** Of several trees: a file and the headers it includes. */
export function repeatableCalls(roots: readonly SourceNode[]): RepeatableCalls {
  const bodies = new Map<string, (SourceNode | undefined)[]>();
  for (const root of roots)
    for (const one of root.descendantsOfType("function_definition")) {
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
  const declarator = definition.descendantsOfType("function_declarator")[0];
  return /(\w+)$/.exec(declarator?.childForFieldName("declarator")?.text ?? "")?.[1];
}

/** The one expression that a function consists of. */
function returnedBy(definition: SourceNode): SourceNode | undefined {
  const statements = definition.childForFieldName("body")?.namedChildren.filter((one) => one?.type !== "comment") ?? [];
  const [only] = statements;
  if (statements.length !== 1 || only?.type !== "return_statement") return undefined;
  return only.namedChild(0) ?? undefined;
}
