/**
 * What the preprocessor may leave out. Nobody here knows which of its conditions held when the program was built. Always: a
 * guard against a second inclusion is no condition.
 */
import type { SourceNode } from "./syntax.ts";

const choices: ReadonlySet<string> = new Set([
  ...["preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef", "preproc_else"],
]);

/** `#ifndef X` with `#define X` as the first thing in it. */
const isGuard = (node: SourceNode): boolean =>
  node.type === "preproc_ifdef" &&
  node.text.startsWith("#ifndef") &&
  node.namedChild(1)?.type === "preproc_def" &&
  node.namedChild(1)?.childForFieldName("name")?.text === node.childForFieldName("name")?.text;

export function isConditional(node: SourceNode): boolean {
  for (let at = node.parent; at !== null; at = at.parent) if (choices.has(at.type) && !isGuard(at)) return true;
  return false;
}

/** Names that are called wherever the file is compiled. */
export const calledForSure = (roots: readonly SourceNode[]): ReadonlySet<string> =>
  new Set(
    roots
      .flatMap((root) => root.descendantsOfType("call_expression"))
      .filter((call) => call !== null && !isConditional(call))
      .flatMap((call) => call!.childForFieldName("function")?.text ?? []),
  );
