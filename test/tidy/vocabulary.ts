/** One word, one meaning: docs/GLOSSARY.md held against the names that src declares. */
import ts from "typescript";
import { lineOf, nodesOf, type Source, type Violation } from "./sources.ts";

export interface Glossary {
  /** Words that names must not contain, in lower case, each with the word to use. */
  readonly banned: ReadonlyMap<string, string>;
  /** Where a banned word is right after all: `word path`. */
  readonly allowed: readonly (readonly [word: string, path: string])[];
  /** Types that several folders may export. */
  readonly shared: ReadonlySet<string>;
}

const inBackticks = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);

/** The cells of the rows of the table that follows a heading, or of the first table. */
function rowsBelow(text: string, heading: string): string[][] {
  const lines = text.split("\n");
  const start = heading === "" ? 0 : lines.indexOf(heading);
  if (start < 0) throw new Error(`the glossary has no section "${heading}"`);
  const table = lines.slice(lines.findIndex((line, index) => index > start && line.startsWith("|---")) + 1);
  const end = table.findIndex((line) => !line.startsWith("|"));
  return table.slice(0, end < 0 ? table.length : end).map((line) => line.split("|").slice(1, -1));
}

export function readGlossary(text: string): Glossary {
  const words = rowsBelow(text, "");
  return {
    banned: new Map(words.flatMap(([word, , not]) => inBackticks(not!).map((banned) => [banned, word!.trim()]))),
    allowed: rowsBelow(text, "## Words that mean something else too").map(
      ([word, path]) => [inBackticks(word!)[0]!, inBackticks(path!)[0]!] as const,
    ),
    shared: new Set(rowsBelow(text, "## Types of one name").flatMap(([names]) => inBackticks(names!))),
  };
}

/** "crashPoints" as "crash points", in lower case. */
export const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[ _$#]+/);

/** Whether a name has the word, alone or made of neighbours, in the plural too. */
function contains(name: string, word: string): boolean {
  const parts = wordsOf(name);
  return parts.some((_, from) =>
    [1, 2].some((count) => {
      const joined = parts.slice(from, from + count).join("");
      return joined === word || joined === `${word}s`;
    }),
  );
}

/** Every name that a file declares; names of the outside world are only used. */
function declaredNames(source: Source): { readonly name: string; readonly node: ts.Node }[] {
  return nodesOf(source.tree).flatMap((node) => {
    const { name } = node as { name?: ts.Node };
    const declares =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isClassElement(node) ||
      ts.isTypeElement(node) ||
      ts.isClassDeclaration(node);
    if (!declares || name === undefined || !(ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) return [];
    return [{ name: name.text, node }];
  });
}

const isProduct = ({ path }: Source): boolean => path.startsWith("src/") && !path.endsWith(".test.ts");

/** Names made of banned words. */
export function bannedNames(sources: readonly Source[], { banned, allowed }: Glossary): Violation[] {
  return sources.filter(isProduct).flatMap((source) =>
    declaredNames(source).flatMap(({ name, node }) =>
      [...banned]
        .filter(([word]) => contains(name, word))
        .filter(([word]) => !allowed.some(([other, path]) => other === word && source.path.startsWith(path)))
        .map(([word, use]) => {
          const says = `${name}: "${word}" is not our word for ${use} (docs/GLOSSARY.md)`;
          return { path: source.path, line: lineOf(source, node), says };
        }),
    ),
  );
}

/** Exceptions that nothing needs any longer. */
export function staleWords(sources: readonly Source[], { banned, allowed }: Glossary): Violation[] {
  const isNeeded = ([word, path]: readonly [string, string]): boolean =>
    banned.has(word) &&
    sources.some(
      (source) =>
        source.path.startsWith(path) &&
        isProduct(source) &&
        declaredNames(source).some(({ name }) => contains(name, word)),
    );
  return allowed
    .filter((row) => !isNeeded(row))
    .map(([word, path]) => ({ path: "docs/GLOSSARY.md", line: 1, says: `${word} is not in ${path}: drop the row` }));
}

const isExported = (node: ts.Declaration): boolean =>
  (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export) !== 0;

const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

/** Exported types by name, with the files of src that export them. */
function exportedTypes(sources: readonly Source[]): Map<string, Source[]> {
  const byName = new Map<string, Source[]>();
  for (const source of sources.filter(isProduct))
    for (const node of source.tree.statements) {
      if (!(ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node)))
        continue;
      if (node.name !== undefined && isExported(node))
        byName.set(node.name.text, [...(byName.get(node.name.text) ?? []), source]);
    }
  return byName;
}

/** Types of one name in several folders that the glossary does not excuse, and excuses that nothing needs. */
export function sharedNames(sources: readonly Source[], { shared }: Glossary): Violation[] {
  const types = exportedTypes(sources);
  const several = new Map(
    [...types].filter(([, files]) => new Set(files.map(({ path }) => directoryOf(path))).size > 1),
  );
  const found = [...several]
    .filter(([name]) => !shared.has(name))
    .map(([name, files]) => {
      const others = files.slice(1).map(({ path }) => path);
      return { path: files[0]!.path, line: 1, says: `${name} is also exported by ${others.join(", ")}` };
    });
  const stale = [...shared].filter((name) => !several.has(name));
  return [
    ...found,
    ...stale.map((name) => ({ path: "docs/GLOSSARY.md", line: 1, says: `only one folder exports ${name}: drop it` })),
  ];
}
