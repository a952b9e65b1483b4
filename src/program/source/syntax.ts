/**
 * C, C++ and Rust source text as syntax trees (tree-sitter). Always: text that does not parse whole still gives a tree, with its
 * damaged parts marked; nobody edits inside those.
 */
import type { Language, Node, Tree } from "web-tree-sitter";
import { assert } from "../../base/index.ts";

export type SourceNode = Node;
export type SourceLanguage = "c" | "cpp" | "rust";

/** The parser and its grammars, as WebAssembly: whoever calls reads them from its disk. */
export interface SyntaxFiles {
  readonly parser: Uint8Array;
  readonly grammars: Readonly<Record<SourceLanguage, Uint8Array>>;
}

const endings: Readonly<Record<string, SourceLanguage>> = {
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  cxx: "cpp",
  "c++": "cpp",
  hh: "cpp",
  hpp: "cpp",
  hxx: "cpp",
  ipp: "cpp",
  tcc: "cpp",
  rs: "rust",
};

/** By the file's name; undefined for what is neither C nor C++ nor Rust. */
export const languageOf = (path: string): SourceLanguage | undefined =>
  endings[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];

/** Rust's kinds of nodes are mostly others than those of C, and so are its words for what is written. */
export const isRust = ({ tree }: SourceNode): boolean => tree.rootNode.type === "source_file";

export const isCpp = ({ tree }: SourceNode): boolean => tree.language.types.includes("template_declaration");

type Parsers = typeof import("web-tree-sitter").Parser;

export class Syntax {
  readonly #parsers: Parsers;
  readonly #grammars: Readonly<Record<SourceLanguage, Language>>;

  private constructor(parsers: Parsers, grammars: Readonly<Record<SourceLanguage, Language>>) {
    this.#parsers = parsers;
    this.#grammars = grammars;
  }

  static async open({ parser, grammars }: SyntaxFiles): Promise<Syntax> {
    // Only who repairs waits for it.
    const { Language, Parser } = await import("web-tree-sitter");
    await Parser.init({ wasmBinary: parser });
    const [c, cpp, rust] = await Promise.all(
      [grammars.c, grammars.cpp, grammars.rust].map((one) => Language.load(one)),
    );
    assert(c !== undefined && cpp !== undefined && rust !== undefined, "every grammar was loaded");
    return new Syntax(Parser, { c, cpp, rust });
  }

  parse(text: string, language: SourceLanguage): Tree {
    const parser = new this.#parsers();
    parser.setLanguage(this.#grammars[language]);
    const tree = parser.parse(text);
    parser.delete();
    assert(tree !== null, "a parser with a language and without a limit gives a tree");
    return tree;
  }
}
