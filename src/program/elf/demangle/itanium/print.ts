/**
 * Prints a tree as c++filt does. Declarators grow on both sides of a name, so every node has a left and a right half:
 * a pointer to a function is `void (*` and `)(int)`. Output is limited, since substitutions can square at every step.
 */
import type { Node } from "./nodes.ts";

const MAX_LENGTH = 0x1_0000;

/** A template parameter is used where no template is named. */
export class Unresolved extends Error {}

/** The name is longer, or nests deeper, than anything a compiler emits. */
export class TooLong extends Error {}

interface Templates {
  readonly args: readonly Node[];
  readonly outer: Templates | undefined;
}

export class Printer {
  /** The templates being printed, innermost first. */
  #templates: Templates | undefined;
  #lambdaDepth = 0;
  #packIndex: number | undefined;
  #packSize: number | undefined;
  #written = 0;
  #depth = 0;

  print(node: Node): string {
    return this.#left(node) + this.#right(node);
  }

  #left(node: Node): string {
    if (++this.#depth > 1000) throw new TooLong();
    const text = (this.#lefts[node.kind] as (node: Node) => string)(node);
    this.#depth--;
    this.#written += text.length;
    if (text.length > MAX_LENGTH || this.#written > 100 * MAX_LENGTH) throw new TooLong();
    return text;
  }

  #right(node: Node): string {
    if (++this.#depth > 1000) throw new TooLong();
    const text = (this.#rights[node.kind] as ((node: Node) => string) | undefined)?.(node) ?? "";
    this.#depth--;
    this.#written += text.length;
    if (text.length > MAX_LENGTH) throw new TooLong();
    return text;
  }

  readonly #lefts: { readonly [K in Node["kind"]]: (node: Node & { kind: K }) => string } = {
    name: ({ text }) => text,
    tagged: ({ name, tag }) => `${this.print(name)}[abi:${tag}]`,
    qualified: ({ scope, name }) => `${this.print(scope)}::${this.print(name)}`,
    template: ({ name, args }) => this.#withArgs(this.print(name), args),
    structor: ({ destructor, of }) => (destructor ? "~" : "") + baseName(of),
    operator: ({ text }) => `operator${/^[a-z]/.test(text) ? " " : ""}${text}`,
    conversion: ({ type }) => `operator ${this.print(type)}`,
    lambda: ({ params, index }) => {
      this.#lambdaDepth++;
      const list = this.#list(params);
      this.#lambdaDepth--;
      return `{lambda(${list})#${index}}`;
    },
    encoding: ({ name, result, params, suffix, templateArgs }) => {
      const outer = this.#templates;
      if (templateArgs !== undefined) this.#templates = { args: templateArgs, outer };
      const before = result === undefined ? "" : this.#resultLeft(result);
      const after = result === undefined ? "" : this.#right(result);
      const text = `${before}${this.print(name)}(${this.#list(params)})${suffix}${after}`;
      this.#templates = outer;
      return text;
    },
    sequence: ({ parts }) => parts.map((part) => (typeof part === "string" ? part : this.print(part))).join(""),
    commas: ({ items }) => this.#list(items),
    pointer: ({ mark, of }) => {
      const inner = this.#referent(mark, of);
      return this.#declaratorLeft(inner.of) + inner.mark;
    },
    suffixed: ({ suffix, of }) => this.#left(of) + this.#newQualifiers(suffix, of),
    "member-pointer": ({ of, owner }) => {
      const before = this.#declaratorLeft(of);
      return `${before}${before.endsWith("(") ? "" : " "}${this.print(owner)}::*`;
    },
    array: ({ of }) => this.#left(of),
    function: ({ result }) => (result === undefined ? "" : this.#resultLeft(result)),
    pack: ({ items }) => this.#list(items),
    param: ({ index }) => this.#outside(index, (arg) => this.#left(arg)),
    "pack-size": ({ of }) => {
      const pack = of.kind === "param" ? this.#templates?.args[of.index] : undefined;
      return pack?.kind === "pack" ? String(pack.items.length) : `sizeof...(${this.print(of)})`;
    },
    expansion: ({ of }) => this.#expansion(of).join(", "),
    parens: ({ of }) => `(${this.print(of)})`,
  };

  readonly #rights: { readonly [K in Node["kind"]]?: (node: Node & { kind: K }) => string } = {
    pointer: ({ mark, of }) => this.#declaratorRight(this.#referent(mark, of).of),
    suffixed: ({ of }) => this.#right(of),
    "member-pointer": ({ of }) => this.#declaratorRight(of),
    array: ({ dimension, of }) => {
      const inner = this.#right(of);
      const size = dimension === undefined ? "" : this.print(dimension);
      return ` [${size}]${inner.startsWith(" [") ? inner.slice(1) : inner}`;
    },
    function: ({ result, params, suffix }) =>
      `(${this.#list(params)})${this.print(suffix)}${result === undefined ? "" : this.#right(result)}`,
    param: ({ index }) => (this.#lambdaDepth > 0 ? "" : this.#outside(index, (arg) => this.#right(arg))),
  };

  #list(items: readonly Node[]): string {
    return withoutTrailingEmpty(items.map((item) => this.print(item))).join(", ");
  }

  /** Two closing brackets are kept apart, except, as in c++filt, where an empty pack stood between them. */
  #withArgs(before: string, args: readonly Node[]): string {
    const list = this.#list(args);
    const isClose = list.endsWith(">") && !this.#endsInEmptyPack(args);
    return `${before}${before.endsWith("<") ? " " : ""}<${list}${isClose ? " " : ""}>`;
  }

  #endsInEmptyPack(args: readonly Node[]): boolean {
    const last = args.at(-1);
    if (last === undefined || (last.kind !== "pack" && last.kind !== "expansion")) return false;
    return this.print(last) === "" || (last.kind === "pack" && this.#endsInEmptyPack(last.items));
  }

  /** A result that is itself an open declarator takes the function's name without a space. */
  #resultLeft(result: Node): string {
    const left = this.#left(result);
    return this.#isOpenDeclarator(result) ? left : `${left} `;
  }

  /** Whether its left half ends inside parentheses: a pointer to a function or an array. */
  #isOpenDeclarator(node: Node): boolean {
    const inner = this.#strip(node);
    if (inner.kind !== "pointer" && inner.kind !== "member-pointer") return false;
    return this.#needsParens(inner.of) || this.#isOpenDeclarator(inner.of);
  }

  #declaratorLeft(of: Node): string {
    const left = this.#left(of);
    if (!this.#needsParens(of)) return left;
    return /[ (*]$/.test(left) && !this.#endsAsArray(of) ? `${left}(` : `${left} (`;
  }

  #declaratorRight(of: Node): string {
    return this.#needsParens(of) ? `)${this.#right(of)}` : this.#right(of);
  }

  #needsParens(node: Node): boolean {
    const inner = this.#strip(node);
    return inner.kind === "function" || inner.kind === "array";
  }

  #endsAsArray(node: Node): boolean {
    return this.#strip(node).kind === "array";
  }

  /** Looks through what does not change the shape of a declarator. */
  #strip(node: Node): Node {
    if (node.kind === "suffixed") return this.#strip(node.of);
    const arg = node.kind === "param" ? this.#argument(node.index) : undefined;
    return arg === undefined || arg.kind === "param" ? node : this.#strip(arg);
  }

  /** References to references collapse: only `&&` to `&&` stays `&&`. */
  #referent(mark: "*" | "&" | "&&", of: Node): { readonly mark: string; readonly of: Node } {
    const inner = of.kind === "suffixed" ? of : this.#strip(of);
    if (mark === "*" || inner.kind !== "pointer" || inner.mark === "*") return { mark, of };
    return this.#referent(mark === "&&" && inner.mark === "&&" ? "&&" : "&", inner.of);
  }

  /** A parameter that is already const does not become so twice. */
  #newQualifiers(suffix: string, of: Node): string {
    const item = of.kind === "param" ? (this.#argument(of.index) ?? of) : of;
    if (item.kind !== "suffixed") return suffix;
    const present = item.suffix.split(" ");
    return suffix
      .split(" ")
      .filter((word) => word !== "" && !present.includes(word))
      .map((word) => ` ${word}`)
      .join("");
  }

  /** What a template parameter stands for here; inside an expansion, one item of its pack. */
  #argument(index: number): Node | undefined {
    if (this.#lambdaDepth > 0) return undefined;
    const arg = this.#templates?.args[index];
    if (arg?.kind !== "pack" || this.#packIndex === undefined) return arg;
    this.#packSize ??= arg.items.length;
    return arg.items[this.#packIndex] ?? { kind: "name", text: "" };
  }

  /** Prints an argument among the templates it was written in. The parameters of generic lambdas have only numbers. */
  #outside(index: number, print: (arg: Node) => string): string {
    if (this.#lambdaDepth > 0) return `auto:${index + 1}`;
    const arg = this.#argument(index);
    if (arg === undefined) throw new Unresolved();
    const inner = this.#templates;
    this.#templates = inner?.outer;
    const text = print(arg);
    this.#templates = inner;
    return text;
  }

  #expansion(of: Node): readonly string[] {
    const outer = { index: this.#packIndex, size: this.#packSize };
    this.#packIndex = 0;
    this.#packSize = undefined;
    const texts = [this.print(of)];
    const size = this.#packSize as number | undefined;
    for (let index = 1; index < (size ?? 1); index++) {
      this.#packIndex = index;
      texts.push(this.print(of));
    }
    this.#packIndex = outer.index;
    this.#packSize = outer.size;
    if (size === undefined) return [`${texts[0]}...`];
    return size === 0 ? [] : texts;
  }
}

/** Empty packs at the end of a list leave no comma behind; elsewhere they do, as in c++filt. */
function withoutTrailingEmpty(texts: readonly string[]): readonly string[] {
  return texts.slice(0, texts.findLastIndex((text) => text !== "") + 1);
}

const isUnnamed = (node: Node) => node.kind === "name" && node.text.startsWith("{unnamed");

/** The last component of a class's name, without its template arguments; an unnamed class goes by its owner's. */
export function baseName(node: Node): string {
  if (node.kind === "qualified") return baseName(isUnnamed(node.name) ? node.scope : node.name);
  if (node.kind === "template") return baseName(node.name);
  if (node.kind === "tagged") return baseName(node.name);
  if (node.kind === "name") return node.text.replace(/^.*::(?=\w+$)/, "");
  return new Printer().print(node);
}
