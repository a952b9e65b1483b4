/** What comments of our code and the tour of the architecture name: files, decisions, functions. */
import ts from "typescript";
import type { Page } from "./docs.ts";
import type { Violation } from "./sources.ts";

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

/** Comments with where they begin. Their marks are blanks, so that positions stay. */
function* commentsIn(text: string): Generator<readonly [comment: string, index: number]> {
  for (const { 0: found, index } of text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g)) yield [found, index];
}

/** A path with a folder in it and an ending of ours; patterns and places to fill in are none. */
const filePath = /(?<![\w./*{}-])(?:[\w-]+\/)+[\w.-]*\w\.(?:ts|tsx|mjs|md|json|c|cpp|rs|css)\b(?![*}])/g;

/**
 * Files that comments name and that are not there. A path counts from the project or from src where it begins with a folder there
 * (`roots`); others are of the guest, of the file's own folder or of nobody, and left alone.
 */
export function commentPathViolations(page: Page, roots: readonly string[], exists: (path: string) => boolean) {
  return [...commentsIn(page.text)].flatMap(([comment, begin]) =>
    [...comment.matchAll(filePath)].flatMap(({ 0: path, index }): Violation[] => {
      const own = page.path.replace(/[^/]*$/, path);
      const isThere = exists(path) || exists(`src/${path}`) || exists(own);
      if (!roots.includes(path.split("/")[0]!) || isThere) return [];
      return [{ path: page.path, line: lineAt(page.text, begin + index), says: `there is no ${path}` }];
    }),
  );
}

/** What a file declares: functions, classes with `Class.member`, constants, types. */
export function declaredIn(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  const tree = ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest);
  for (const node of tree.statements) {
    if (ts.isVariableStatement(node))
      for (const { name } of node.declarationList.declarations) if (ts.isIdentifier(name)) names.add(name.text);
    const named = node as ts.Statement & {
      readonly name?: ts.Identifier;
      readonly members?: ts.NodeArray<ts.ClassElement>;
    };
    if (named.name === undefined || !ts.isIdentifier(named.name)) continue;
    names.add(named.name.text);
    for (const member of named.members ?? [])
      if (member.name !== undefined && !ts.isComputedPropertyName(member.name))
        names.add(`${named.name.text}.${member.name.getText(tree)}`);
  }
  return names;
}

/** "`run` in `a/b.ts`" and "`Class.run` (`a/b.ts`)", paths below src: the function must be declared in that file. */
export function functionViolations(page: Page, read: (path: string) => string | undefined): Violation[] {
  return [...page.text.matchAll(/`#?([\w.]+)(?:\([^`]*\))?` (?:in |\()`((?:[\w-]+\/)*[\w.-]+\.ts)`/g)].flatMap(
    ({ 1: name, 2: file, index }): Violation[] => {
      const text = read(`src/${file}`);
      if (text !== undefined && declaredIn(text).has(name!)) return [];
      const line = lineAt(page.text, index);
      return [
        { path: page.path, line, says: text === undefined ? `there is no src/${file}` : `${file} has no ${name}` },
      ];
    },
  );
}

const numbers =
  "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(
    " ",
  );

/** "sixteen rules over it": counts of what there is, in words or digits. */
export function countViolations(page: Page, what: RegExp, count: number): Violation[] {
  return [...page.text.matchAll(new RegExp(`\\b(\\d+|${numbers.join("|")})(?= ${what.source})`, "g"))].flatMap(
    ({ 1: found, index }): Violation[] => {
      const said = /\d/.test(found!) ? Number(found) : numbers.indexOf(found!);
      return said === count
        ? []
        : [{ path: page.path, line: lineAt(page.text, index), says: `${found} is ${count} by now` }];
    },
  );
}
