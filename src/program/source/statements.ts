/** From a place, as debug information gives it, to the statement around it and what may be put after that. */
import { isUnitCall } from "./rust-written.ts";
import { isRust, type SourceNode } from "./syntax.ts";

/** Lines and columns count from 1; column 0 is the line as a whole. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** Kinds of nodes that hold statements one after another. */
const blocks: ReadonlySet<string> = new Set([
  "compound_statement",
  "block",
  "case_statement",
  // What the preprocessor chooses between, inside a function.
  "preproc_if",
  "preproc_ifdef",
  "preproc_elif",
  "preproc_elifdef",
  "preproc_else",
]);

/** Where one statement stands in place of a block. */
const bodies: ReadonlySet<string> = new Set([
  "if_statement",
  "else_clause",
  "for_statement",
  "for_range_loop",
  "while_statement",
  "do_statement",
  "match_arm",
]);

/** Rust's, whose bodies are blocks: what is in them and in no block is in the head. */
const heads: ReadonlySet<string> = new Set([
  "if_expression",
  "while_expression",
  "for_expression",
  "match_expression",
  "closure_expression",
]);

/** What leaves the block, so that nothing after it in the block runs; in Rust as an expression that is a statement. */
const leaving: ReadonlySet<string> = new Set([
  ...["return_statement", "goto_statement", "break_statement"],
  ...["return_expression", "break_expression"],
]);

export type Placement =
  /** Right after a statement of a block. */
  | { readonly kind: "in block"; readonly statement: SourceNode; readonly isValue?: boolean }
  /** After the only statement of an if or a loop, which needs braces then. */
  | { readonly kind: "needs braces"; readonly statement: SourceNode; readonly isValue?: boolean }
  | { readonly kind: "nowhere"; readonly reason: string };

const nowhere = (reason: string): Placement => ({ kind: "nowhere", reason });

/** The innermost node at a position that is worth asking about. */
export function nodeAt(root: SourceNode, { line, column }: SourcePosition): SourceNode | undefined {
  const row = line - 1;
  if (column > 0) return root.namedDescendantForPosition({ row, column: column - 1 }) ?? undefined;
  return firstOnLine(root, row);
}

function firstOnLine(node: SourceNode, row: number): SourceNode | undefined {
  if (isStatement(node) && node.startPosition.row === row) return node;
  for (const child of node.namedChildren) {
    if (child === null || child.endPosition.row < row || child.startPosition.row > row) continue;
    const found = firstOnLine(child, row);
    if (found !== undefined) return found;
  }
  return isStatement(node) && !blocks.has(node.type) && node.endPosition.row >= row ? node : undefined;
}

const isStatement = ({ type }: SourceNode): boolean =>
  type.endsWith("_statement") || type === "declaration" || type === "let_declaration";

/** The value of a Rust block or of an arm of a match: a statement once it ends in a semicolon, if it is of no use as a value. */
const isUnitValue = (node: SourceNode): boolean =>
  node.type === "assignment_expression" ||
  node.type === "compound_assignment_expr" ||
  (node.type === "call_expression" && isUnitCall(node));

/** Where code can go that runs right after what is at the node. */
export function placeAfter(node: SourceNode): Placement {
  let inner = node;
  for (let outer = node.parent; outer !== null; inner = outer, outer = outer.parent) {
    if (outer.type === "ERROR" || inner.isError) return nowhere("the source around it could not be parsed");
    if (heads.has(outer.type)) return nowhere(aside(outer));
    if (outer.type === "preproc_def" || outer.type === "preproc_function_def") return nowhere("it is part of a macro");
    const isLast = blocks.has(outer.type) || bodies.has(outer.type);
    if (!isLast) continue;
    if (isLeaving(inner)) return nowhere("nothing after it in its block runs");
    if (!blocks.has(outer.type) && !isBodyOf(outer, inner)) return nowhere(aside(outer));
    const kind = blocks.has(outer.type) ? "in block" : "needs braces";
    if (!isRust(inner))
      return isStatement(inner) || kind === "needs braces" ? { kind, statement: inner } : nowhere(aside(outer));
    if (isStatement(inner)) return { kind, statement: inner };
    return isUnitValue(inner)
      ? { kind, statement: inner, isValue: true }
      : nowhere("its value is that of the block around it");
  }
  return nowhere("it is not part of a function's body");
}

const aside = ({ type }: SourceNode): string => `it is part of the head of ${type.replaceAll("_", " ")}`;

const isLeaving = (node: SourceNode): boolean =>
  leaving.has(node.type) || (node.type === "expression_statement" && leaving.has(node.namedChild(0)?.type ?? ""));

function isBodyOf(outer: SourceNode, inner: SourceNode): boolean {
  if (outer.type === "else_clause") return true;
  return ["consequence", "body", "value"].some((field) => outer.childForFieldName(field)?.equals(inner) ?? false);
}
