/** The sources that fixes change: which of them are the user's, how they are parsed, and where a patch of them is applied. */
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { isBelow } from "../../base/index.ts";
import { OpenSources, SourcePatch, type SourcePorts } from "../../engines/index.ts";
import { modifiedAt } from "../../host/index.ts";
import { Syntax } from "../../program/source/index.ts";
import { builtFile } from "./built-file.ts";
import type { Sources } from "./sources.ts";

const wasmFile = (name: string): Uint8Array => builtFile(name, "The parser of sources");

const openSyntax = () =>
  Syntax.open({
    parser: wasmFile("web-tree-sitter.wasm"),
    grammars: {
      c: wasmFile("tree-sitter-c.wasm"),
      cpp: wasmFile("tree-sitter-cpp.wasm"),
      rust: wasmFile("tree-sitter-rust.wasm"),
    },
  });

/** What lies beside the program, in the working directory or in a tree that was named is the user's to change. */
export function ownCode(program: string, source: readonly string[]): (module: string) => boolean {
  const own = [dirname(program), process.cwd(), ...source.map((folder) => resolve(folder))];
  return (module) => own.some((folder) => isBelow(module, folder));
}

/** Where a patch of a file is applied: the root of its repository; the working directory where it is in none. */
export function patchFolder(path: string): string {
  for (let folder = dirname(resolve(path)); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, ".git"))) return folder;
  return process.cwd();
}

/** The sources as they are, and patches that start from them. */
export async function openPatches(sources: Sources, isOwn: SourcePorts["isOwn"]) {
  const shownPath = (path: string) => relative(patchFolder(path), resolve(path));
  const ports: SourcePorts = { syntax: await openSyntax(), readSource: sources.read, isOwn, shownPath };
  const open = new OpenSources(ports);
  return { open, shownPath, newPatch: () => new SourcePatch(ports, open) };
}

export const isNewer = (source: string, program: string): boolean => modifiedAt(source) > modifiedAt(program);
