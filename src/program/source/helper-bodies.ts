/**
 * Functions, macros and constants of a program's sources by name, for what may be called on numbers; all of a name, where the
 * preprocessor chooses between several.
 */
import { strideOf } from "./c-values.ts";
import type { SourceNode } from "./syntax.ts";

/** A function or macro: its parameters' names and strides, and what it does. */
export interface Body {
  readonly parameters: readonly { readonly name: string; readonly stride: bigint | undefined }[];
  readonly body: SourceNode;
}

type Parse = (text: string) => SourceNode;

/** Everything that the bodies of helpers may name. */
export class HelperBodies {
  readonly calls = new Map<string, Body[]>();
  readonly constants = new Map<string, SourceNode>();

  constructor(roots: readonly SourceNode[], parse: Parse) {
    for (const root of roots) this.#collect(root, parse);
  }

  #collect(node: SourceNode, parse: Parse): void {
    for (const child of node.namedChildren) {
      if (child === null) continue;
      if (child.type === "function_definition") this.#addFunction(child);
      else if (child.type === "preproc_function_def") this.#addMacro(child, parse);
      else if (child.type === "preproc_def") this.#addConstant(child, parse);
      else if (child.type === "enumerator" || child.type === "init_declarator") this.#addNamed(child);
      else this.#collect(child, parse);
    }
  }

  #addFunction(node: SourceNode): void {
    const declarator = node.descendantsOfType("function_declarator")[0];
    const [name, body] = [declarator?.childForFieldName("declarator")?.text, node.childForFieldName("body")];
    if (name === undefined || body === null) return;
    const given = declarator!.childForFieldName("parameters")?.namedChildren ?? [];
    const parameters = given.flatMap((one) => (one === null || one.text === "void" ? [] : parameterOf(one)));
    this.#add(name, { parameters, body });
  }

  #addMacro(node: SourceNode, parse: Parse): void {
    const name = node.childForFieldName("name")?.text ?? "";
    const value = node.childForFieldName("value")?.text.replace(/\\\n/g, " ") ?? "";
    const [body] = parse(`void f() { ${value}; }`).descendantsOfType("compound_statement");
    const given = node.childForFieldName("parameters")?.namedChildren ?? [];
    const parameters = given.map((one) => ({ name: one!.text, stride: undefined }));
    if (body != null) this.#add(name, { parameters, body });
  }

  #add(name: string, body: Body): void {
    this.calls.set(name, [...(this.calls.get(name) ?? []), body]);
  }

  #addConstant(node: SourceNode, parse: Parse): void {
    const value = node.childForFieldName("value")?.text;
    const [made] = value === undefined ? [] : parse(`int f = ${value};`).descendantsOfType("init_declarator");
    if (made != null) this.#addNamed(made, node.childForFieldName("name")?.text);
  }

  #addNamed(node: SourceNode, name = (node.childForFieldName("name") ?? node.childForFieldName("declarator"))?.text) {
    const value = node.childForFieldName("value");
    if (value !== null && name !== undefined) this.constants.set(name, value);
  }
}

function parameterOf(node: SourceNode): Body["parameters"] {
  const name = node.descendantsOfType("identifier").at(-1)?.text;
  if (name === undefined) return [];
  const isObject = /&/.test(node.text);
  return [{ name, stride: isObject ? undefined : /[*[]/.test(node.text) ? strideOrNone(node.text) : 0n }];
}

/** A pointer to what is not understood may still be cast. */
function strideOrNone(type: string): bigint {
  try {
    return strideOf(type.replace("[", "*"));
  } catch {
    return -1n;
  }
}
