/** Loops of the source: which are around a node, and which are left only by their end, so that what stands behind them runs. */
import type { SourceNode } from "./syntax.ts";

const loops: ReadonlySet<string> = new Set(["for_statement", "for_range_loop", "while_statement", "do_statement"]);

/** Innermost first, within the function. */
export function loopsOf(node: SourceNode): readonly SourceNode[] {
  const found: SourceNode[] = [];
  for (let at: SourceNode | null = node; at !== null && at.type !== "function_definition"; at = at.parent)
    if (loops.has(at.type) && !at.equals(node)) found.push(at);
  return found;
}

const leaving = ["return_statement", "goto_statement", "throw_statement", "co_return_statement", "lambda_expression"];

/** Whether nothing but the end of the program leaves the loop without coming to what stands behind it. */
export const isLeftByEnd = (loop: SourceNode): boolean =>
  loop.descendantsOfType(leaving).length === 0 &&
  loop
    .descendantsOfType("call_expression")
    .every((call) => !/longjmp$/.test(call?.childForFieldName("function")?.text ?? ""));
