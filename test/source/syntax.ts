/** The parser and its grammars, from where npm put them. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Syntax } from "../../src/program/source/index.ts";

const modules = createRequire(import.meta.url);
const grammar = (name: string) => readFileSync(join(dirname(modules.resolve(`${name}/package.json`)), `${name}.wasm`));

export const openTestSyntax = (): Promise<Syntax> =>
  Syntax.open({
    parser: readFileSync(join(dirname(modules.resolve("web-tree-sitter")), "web-tree-sitter.wasm")),
    grammars: { c: grammar("tree-sitter-c"), cpp: grammar("tree-sitter-cpp"), rust: grammar("tree-sitter-rust") },
  });
