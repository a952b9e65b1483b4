/** The project's own files, parsed once. Paths are relative to the project's root, with forward slashes. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import ts from "typescript";

export const projectRoot = resolve(import.meta.dirname, "../..");

export interface Source {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

/** What a check has to say: where, and what to do instead. */
export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly says: string;
}

export const sourceFrom = (path: string, text: string): Source => ({
  path,
  text,
  tree: ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true),
});

export const isTest = (path: string): boolean => path.startsWith("test/") || path.endsWith(".test.ts");

export function lineOf({ tree }: Source, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
}

/** Every node below this one, itself first. */
export function nodesOf(node: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (inner: ts.Node): void => {
    nodes.push(inner);
    inner.forEachChild(visit);
  };
  visit(node);
  return nodes;
}

export function describeViolations(violations: readonly Violation[]): string[] {
  return violations.map(({ path, line, says }) => `${path}:${line} ${says}`);
}

const folders = ["src", "test", "tools", "bench", "guests", "docs", ".ci"];
const skipped = new Set(["node_modules", "build", "golden", "images"]);

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) yield* filesBelow(path);
    } else if (entry.isFile()) yield relative(projectRoot, path).replaceAll("\\", "/");
  }
}

/** Paths of all files we wrote, in one order everywhere. */
export function projectPaths(): string[] {
  const top = readdirSync(projectRoot, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "package-lock.json")
    .map(({ name }) => name);
  const below = folders.flatMap((folder) => [...filesBelow(join(projectRoot, folder))]);
  return [...top, ...below].sort((left, right) => (left < right ? -1 : 1));
}

export const readProjectFile = (path: string): string => readFileSync(join(projectRoot, path), "utf8");

export const projectSources = (paths: readonly string[]): Source[] =>
  paths.filter((path) => /\.tsx?$/.test(path)).map((path) => sourceFrom(path, readProjectFile(path)));
