/**
 * Calls that make something durable and that a function does not need, on every path through it: a flush of what is flushed already
 * and not stored to since, a fence with nothing flushed since the one before. Always:
 * - What holds at a place holds on every path that leads there: branches meet in what both know, and a loop, a label, a switch or the
 *   preprocessor begins with nothing known.
 * - A call of anything else may do anything. A store may be to anything, and the fence after it may be there for it.
 */
import type { DurabilityHelper } from "./helpers.ts";
import { hasEffect, type RepeatableCalls } from "./repeatable.ts";
import type { SourceNode } from "./syntax.ts";

/** On every path to here; undefined where none leads here. */
type Known = { readonly fenced: boolean; readonly flushed: ReadonlySet<string> } | undefined;

const nothing: Known = { fenced: false, flushed: new Set() };

const leaving: ReadonlySet<string> = new Set([
  ...["return_statement", "goto_statement", "break_statement", "continue_statement"],
  ...["throw_statement", "co_return_statement"],
]);
const loops: ReadonlySet<string> = new Set(["for_statement", "for_range_loop", "while_statement", "do_statement"]);
const jumps = ["break_statement", "continue_statement", "goto_statement"];

/** Statements of a function's body, in their order. */
export function needlessCalls(
  body: SourceNode,
  helpers: readonly DurabilityHelper[],
  repeatable: RepeatableCalls,
): readonly SourceNode[] {
  const paths = new Paths(new Map(helpers.map((one) => [one.name, one])), repeatable);
  paths.through(body, nothing);
  return paths.needless;
}

const children = (node: SourceNode): readonly SourceNode[] =>
  node.namedChildren.filter((one) => one !== null && one.type !== "comment") as SourceNode[];

const meet = (a: Known, b: Known): Known =>
  a === undefined || b === undefined
    ? (a ?? b)
    : { fenced: a.fenced && b.fenced, flushed: new Set([...a.flushed].filter((one) => b.flushed.has(one))) };

const without = (known: Known, name: string): Known =>
  known && { ...known, flushed: new Set([...known.flushed].filter((one) => !new RegExp(`\\b${name}\\b`).test(one))) };

class Paths {
  readonly needless: SourceNode[] = [];
  readonly #helpers: ReadonlyMap<string, DurabilityHelper>;
  readonly #repeatable: RepeatableCalls;

  constructor(helpers: ReadonlyMap<string, DurabilityHelper>, repeatable: RepeatableCalls) {
    this.#helpers = helpers;
    this.#repeatable = repeatable;
  }

  through(node: SourceNode, known: Known): Known {
    if (node.type === "compound_statement") return this.#block(node, known);
    if (node.type === "if_statement") return this.#choice(node, known);
    if (node.type === "else_clause") return this.#all(node, known);
    if (loops.has(node.type)) return this.#loop(node, known);
    if (node.type === "expression_statement") return this.#statement(node, known);
    if (leaving.has(node.type)) return undefined;
    if (node.type.endsWith("_statement") || node.type.startsWith("preproc_")) {
      // Labels, switches, what the compiler may not see: whatever led there.
      for (const child of children(node)) this.through(child, nothing);
      return nothing;
    }
    return this.#after(node, known);
  }

  #all(node: SourceNode, known: Known): Known {
    return children(node).reduce((at, child) => this.through(child, at), known);
  }

  #block(node: SourceNode, known: Known): Known {
    const after = this.#all(node, known);
    const declared = children(node).filter(({ type }) => type === "declaration");
    const names = declared.flatMap((one) => one.descendantsOfType("identifier").map((id) => id?.text ?? ""));
    return names.reduce(without, after);
  }

  #choice(node: SourceNode, known: Known): Known {
    const condition = node.childForFieldName("condition");
    const [then, otherwise] = [node.childForFieldName("consequence"), node.childForFieldName("alternative")];
    const at = condition === null ? known : this.#after(condition, known);
    const [taken, passed] = [then, otherwise].map((branch) => (branch === null ? at : this.through(branch, at)));
    return meet(taken, passed);
  }

  /** A turn begins with nothing known; a loop may have no turn. */
  #loop(node: SourceNode, known: Known): Known {
    if (known === undefined) return undefined;
    const body = node.childForFieldName("body");
    const heads = children(node).filter((child) => body === null || !child.equals(body));
    const turned = heads.reduce(
      (at, head) => this.#after(head, at),
      body === null ? nothing : this.through(body, nothing),
    );
    if (node.descendantsOfType(jumps).length > 0) return nothing;
    return node.type === "do_statement"
      ? turned
      : meet(
          heads.reduce<Known>((at, head) => this.#after(head, at), known),
          turned,
        );
  }

  #statement(node: SourceNode, known: Known): Known {
    const call = node.namedChild(0);
    const helper =
      call?.type === "call_expression" ? this.#helpers.get(call.childForFieldName("function")?.text ?? "") : undefined;
    const args = call?.childForFieldName("arguments");
    const given = args == null ? [] : children(args);
    if (helper === undefined || known === undefined || given.length !== helper.parameters)
      return this.#after(node, known);
    if (given.some((one) => hasEffect(one, this.#repeatable))) return nothing;
    const what = given.map(({ text }) => text.replace(/\s+/g, " ")).join(", ");
    const isFlushed = !helper.flushes || known.flushed.has(what);
    const isFenced = !helper.fences || known.fenced;
    if (isFlushed && isFenced) this.needless.push(node);
    const isNewFlush = helper.flushes && !isFlushed;
    const flushed = helper.flushes ? new Set([...known.flushed, what]) : known.flushed;
    return { fenced: helper.fences || (known.fenced && !isNewFlush), flushed };
  }

  /** What an expression or a declaration leaves of it. */
  #after(node: SourceNode, known: Known): Known {
    if (known === undefined) return undefined;
    if (node.type === "gnu_asm_expression") return nothing;
    if (node.type === "call_expression" && hasEffect(node, this.#repeatable)) return nothing;
    let after = children(node).reduce((at, child) => this.#after(child, at), known as Known);
    const written = node.childForFieldName(node.type === "update_expression" ? "argument" : "left");
    if ((node.type === "assignment_expression" || node.type === "update_expression") && written !== null)
      after = written.type === "identifier" ? without(after, written.text) : nothing;
    if (node.type === "declaration")
      for (const one of node.descendantsOfType("identifier")) after = without(after, one?.text ?? "");
    return after;
  }
}
