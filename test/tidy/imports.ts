/** Imports: layers, indexes, and files that nobody imports. */
import { posix } from "node:path";
import ts from "typescript";
import { layers } from "../../src/layers.ts";
import { isTest, lineOf, nodesOf, type Source, type Violation } from "./sources.ts";

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

export function importsOf(source: Source): Import[] {
  const found: Import[] = [];
  for (const node of nodesOf(source.tree)) {
    const specifier = specifierOf(node);
    if (specifier === undefined) continue;
    const target = specifier.startsWith(".") ? posix.join(posix.dirname(source.path), specifier) : undefined;
    found.push({ node, specifier, target });
  }
  return found;
}

/** The folder of src a path lies in: "vm" for src/vm/kernel/table.ts; undefined outside and at the top of src. */
export function folderOf(path: string): string | undefined {
  const parts = path.split("/");
  return parts[0] === "src" && parts.length > 2 ? parts[1] : undefined;
}

/** Imports that go up the layer table, or to a folder that is not in it. */
export function layerViolations(sources: readonly Source[], table: typeof layers = layers): Violation[] {
  return sources.flatMap((source) => {
    const folder = folderOf(source.path);
    if (folder === undefined || isTest(source.path)) return [];
    const allowed = table[folder];
    if (allowed === undefined)
      return [{ path: source.path, line: 1, says: `folder ${folder} is not in src/layers.ts` }];
    return importsOf(source).flatMap(({ node, target }) => {
      const other = target === undefined ? undefined : folderOf(target);
      if (other === undefined || other === folder || allowed.includes(other)) return [];
      return [{ path: source.path, line: lineOf(source, node), says: `${folder} may not import ${other}` }];
    });
  });
}

/** A cycle in the layer table, as a path through it. */
export function layerCycle(table: typeof layers = layers): string[] | undefined {
  const walk = (folder: string, above: readonly string[]): string[] | undefined => {
    if (above.includes(folder)) return [...above.slice(above.indexOf(folder)), folder];
    for (const below of table[folder] ?? []) {
      const cycle = walk(below, [...above, folder]);
      if (cycle) return cycle;
    }
    return undefined;
  };
  for (const folder of Object.keys(table)) {
    const cycle = walk(folder, []);
    if (cycle) return cycle;
  }
  return undefined;
}

/** Imports into a folder of src that bypass its index.ts. Tests of the same folder may look inside. */
export function indexViolations(sources: readonly Source[]): Violation[] {
  return sources.flatMap((source) =>
    importsOf(source).flatMap(({ node, target }) => {
      const folder = target === undefined ? undefined : folderOf(target);
      const inside = folder === undefined || folder === folderOf(source.path) || target === `src/${folder}/index.ts`;
      if (inside || isTest(source.path) || !source.path.startsWith("src/")) return [];
      return [{ path: source.path, line: lineOf(source, node), says: `import src/${folder}/index.ts, not ${target}` }];
    }),
  );
}

/** Where reading starts: the command, the package's surface, tools, benchmarks, tests. */
export const isEntryPoint = (path: string): boolean =>
  ["src/index.ts", "src/cli/entry.ts", "src/cli/worker-entry.ts", "test/support/engine.ts"].includes(path) ||
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
