/** The functions of a program's source: their parameters, who calls them with what, and which of them may be copied. */
import type { SourceNode } from "./syntax.ts";

export interface Parameter {
  readonly name: string;
  readonly isPointer: boolean;
}

export interface SourceFunction {
  readonly path: string;
  readonly name: string;
  readonly definition: SourceNode;
  readonly body: SourceNode;
  readonly parameters: readonly Parameter[];
}

export interface SourceCall {
  readonly callee: string;
  readonly node: SourceNode;
  readonly args: readonly SourceNode[];
  /** The function that it is in. */
  readonly caller: SourceFunction;
}

const namedChildren = (node: SourceNode | null | undefined): readonly SourceNode[] =>
  (node?.namedChildren.filter((child) => child !== null && child.type !== "comment") as SourceNode[] | undefined) ?? [];

const found = (node: SourceNode, type: string): readonly SourceNode[] =>
  node.descendantsOfType(type).filter((one) => one !== null);

export class SourceFunctions {
  readonly #functions = new Map<string, SourceFunction>();
  readonly #ambiguous = new Set<string>();
  readonly #calls: SourceCall[] = [];
  /** Names that stand for a function's address somewhere. */
  readonly #taken = new Set<string>();

  add(path: string, root: SourceNode): void {
    const functions = found(root, "function_definition").flatMap((definition) => functionOf(path, definition) ?? []);
    for (const one of functions) {
      if (this.#functions.has(one.name)) this.#ambiguous.add(one.name);
      this.#functions.set(one.name, one);
      for (const node of found(one.body, "call_expression")) {
        const callee = node.childForFieldName("function")?.text ?? "";
        this.#calls.push({ callee, node, args: namedChildren(node.childForFieldName("arguments")), caller: one });
      }
    }
    for (const node of found(root, "identifier")) if (!isNamedOnly(node)) this.#taken.add(node.text);
  }

  named(name: string): SourceFunction | undefined {
    return this.#ambiguous.has(name) ? undefined : this.#functions.get(name);
  }

  callsOf(name: string): readonly SourceCall[] {
    return this.#calls.filter(({ callee }) => callee === name);
  }

  /** Calls of a function on one line of another. */
  callAt(caller: SourceFunction, callee: string, line: number): SourceCall | undefined {
    return this.#calls.find(
      (one) =>
        one.callee === callee &&
        one.caller === caller &&
        one.node.startPosition.row <= line - 1 &&
        one.node.endPosition.row >= line - 1,
    );
  }

  /** Why no copy of a function would do what it does; undefined where one would. */
  whyNotCopied({ name, definition, body }: SourceFunction): string | undefined {
    if (definition.parent?.type !== "translation_unit") return `${name} is no function of its own`;
    if (this.#taken.has(name)) return `the address of ${name} is taken`;
    if (found(body, "storage_class_specifier").some(({ text }) => text === "static"))
      return `${name} has a variable that outlives its calls`;
    if (/\b__func__\b|\b__FUNCTION__\b|\b__PRETTY_FUNCTION__\b|&&\s*\w+\s*[;,)]/.test(body.text))
      return `${name} tells its own name or keeps a label`;
    return undefined;
  }
}

/** Where an identifier calls or declares the function, and does not stand for its address. */
function isNamedOnly(node: SourceNode): boolean {
  const { parent } = node;
  if (parent === null) return true;
  if (parent.type === "call_expression") return parent.childForFieldName("function")?.equals(node) ?? false;
  return parent.type === "function_declarator";
}

function functionOf(path: string, definition: SourceNode): SourceFunction | undefined {
  let declarator = definition.childForFieldName("declarator");
  while (declarator !== null && declarator.type !== "function_declarator")
    declarator = declarator.childForFieldName("declarator");
  const body = definition.childForFieldName("body");
  const name = declarator?.childForFieldName("declarator")?.text;
  if (body === null || declarator === null || name === undefined) return undefined;
  return { path, name, definition, body, parameters: parametersOf(declarator) };
}

/** What a node is part of the body of. */
export function functionAround(node: SourceNode): SourceFunction | undefined {
  for (let at: SourceNode | null = node; at !== null; at = at.parent)
    if (at.type === "function_definition") return functionOf("", at);
  return undefined;
}

const parametersOf = (declarator: SourceNode): readonly Parameter[] =>
  namedChildren(declarator.childForFieldName("parameters"))
    .filter(({ type, text }) => type === "parameter_declaration" && text !== "void")
    .map((one) => {
      const { text } = one.childForFieldName("declarator") ?? one;
      return { name: /(\w+)\s*(?:\[[^\]]*\]\s*)*$/.exec(text)?.[1] ?? "", isPointer: /[*&[]/.test(text) };
    });

/** The variable that an expression goes out from: `p` of `p->a[i]`, `*p` and `&p->b`. */
export function rootVariable(node: SourceNode): string | undefined {
  if (node.type === "identifier") return node.text;
  const inner =
    node.childForFieldName("argument") ??
    node.childForFieldName("value") ??
    node.childForFieldName("left") ??
    node.namedChild(0);
  return inner === null || node.type === "call_expression" ? undefined : rootVariable(inner);
}
