/** Imports as a file writes them, and files that nobody imports. */
import { posix } from "node:path";
import ts from "typescript";
import { nodesOf, type Source, type Violation } from "./sources.ts";

interface Import {
  readonly node: ts.Node;
  /** As written. */
  readonly specifier: string;
  /** Project path of the imported file, or undefined for a package. */
  readonly target: string | undefined;
}

function specifierOf(node: ts.Node): string | undefined {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier)
    return (node.moduleSpecifier as ts.StringLiteral).text;
  const [first] = ts.isCallExpression(node) ? node.arguments : [];
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && first)
    return ts.isStringLiteral(first) ? first.text : undefined;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal))
    return node.argument.literal.text;
  return undefined;
}

const known = new WeakMap<Source, readonly Import[]>();

export function importsOf(source: Source): readonly Import[] {
  const imports = known.get(source) ?? findImports(source);
  known.set(source, imports);
  return imports;
}

function findImports(source: Source): readonly Import[] {
  const found: Import[] = [];
  for (const node of nodesOf(source.tree)) {
    const specifier = specifierOf(node);
    if (specifier === undefined) continue;
    const target = specifier.startsWith(".") ? posix.join(posix.dirname(source.path), specifier) : undefined;
    found.push({ node, specifier, target });
  }
  return found;
}

/** Where reading starts: the command, the package's surface, tools, benchmarks, tests. */
export const isEntryPoint = (path: string): boolean =>
  [
    "src/index.ts",
    "src/app/commands/entry.ts",
    "src/app/commands/worker-entry.ts",
    "src/app/commands/executable-entry.ts",
    "src/app/commands/fleet-thread-entry.ts",
    "src/report/page/main.tsx",
    "test/support/engine.ts",
  ].includes(path) ||
  path.endsWith(".test.ts") ||
  path.endsWith(".config.ts") ||
  path.endsWith(".d.ts") ||
  /^(tools|bench)\/[^/]+\.ts$/.test(path);

/** Files that no entry point reaches. Besides imports, a file may be named as a worker by `new URL("./x.ts", …)`. */
export function deadFiles(sources: readonly Source[]): Violation[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const reached = new Set<string>();
  const waiting = sources.map(({ path }) => path).filter(isEntryPoint);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const source = byPath.get(path);
    if (source === undefined || reached.has(path)) continue;
    reached.add(path);
    for (const { target } of importsOf(source)) if (target !== undefined) waiting.push(target);
    for (const match of source.text.matchAll(/new URL\("(\.[^"]+\.ts)"/g))
      waiting.push(posix.join(posix.dirname(path), match[1]!));
  }
  return sources
    .filter(({ path }) => !reached.has(path))
    .map(({ path }) => ({ path, line: 1, says: "no entry point and no test reaches this file" }));
}
