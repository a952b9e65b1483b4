/** What the code does not say, each with what to say instead. Looked for in the syntax tree, so comments are free. */
import ts from "typescript";
import { importsOf } from "./imports.ts";
import { isTest, lineOf, nodesOf, type Source, type Violation } from "./sources.ts";

/** Only these talk to the real world. */
const mayTouchTheHost = (path: string): boolean =>
  isTest(path) || /^(src\/host|src\/app|tools|bench)\//.test(path) || !path.includes("/");

const anywhere = () => false;

interface Ban {
  readonly says: string;
  readonly finds: (node: ts.Node) => boolean;
  readonly allowedIn: (path: string) => boolean;
}

const isMember = (node: ts.Node, object: string, property?: string): boolean =>
  ts.isPropertyAccessExpression(node) &&
  ts.isIdentifier(node.expression) &&
  node.expression.text === object &&
  (property === undefined || node.name.text === property);

const bindsName = (name: ts.BindingName, wanted: string): boolean =>
  ts.isIdentifier(name)
    ? name.text === wanted
    : name.elements.some((element) => ts.isBindingElement(element) && bindsName(element.name, wanted));

/** Whether a node itself makes the name mean something of ours: a parameter, a variable or an import. */
function declares(scope: ts.Node, name: string): boolean {
  if (ts.isFunctionLike(scope)) return scope.parameters.some((parameter) => bindsName(parameter.name, name));
  if (ts.isForOfStatement(scope) || ts.isForStatement(scope))
    return (
      scope.initializer !== undefined &&
      ts.isVariableDeclarationList(scope.initializer) &&
      scope.initializer.declarations.some((declaration) => bindsName(declaration.name, name))
    );
  if (!ts.isBlock(scope) && !ts.isSourceFile(scope) && !ts.isCaseClause(scope)) return false;
  return scope.statements.some(
    (statement) =>
      ts.isVariableStatement(statement) &&
      statement.declarationList.declarations.some((declaration) => bindsName(declaration.name, name)),
  );
}

/** A member of the global object of that name, not of a local variable called the same. */
function isGlobalMember(node: ts.Node, name: string): boolean {
  if (!isMember(node, name)) return false;
  for (let scope = node.parent; scope; scope = scope.parent) if (declares(scope, name)) return false;
  return true;
}

const isCallOf = (node: ts.Node, ...methods: string[]): node is ts.CallExpression =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  methods.includes(node.expression.name.text);

const isConstructionOf = (node: ts.Node, name: string): boolean =>
  ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === name;

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node)) return true;
  return (
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
  );
}

const runners = ["it", "test", "describe", "suite", "bench"];
const isFocused = (node: ts.Node): boolean =>
  runners.some((runner) => isMember(node, runner, "only") || isMember(node, runner, "skip"));

/** JSON of an object depends on the order its keys were added in: no base for a digest. */
const hashesJson = (node: ts.Node): boolean =>
  ts.isCallExpression(node) &&
  /digest|hash|addWords/i.test(node.expression.getText()) &&
  node.arguments.some((argument) => nodesOf(argument).some((inner) => isMember(inner, "JSON", "stringify")));

const isTold = (node: ts.Node): boolean => /\b(?:says|headline|advice)(?:$| \?\?)/.test(node.getText());
const isPattern = (node: ts.Node): boolean => ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node);

/** Whether a call looks for words of ours in what is told to a reader. */
function readsWords(node: ts.Node): boolean {
  if (!isCallOf(node, "startsWith", "endsWith", "includes", "match", "test", "exec", "search")) return false;
  const parts = [(node.expression as ts.PropertyAccessExpression).expression, ...node.arguments];
  return parts.some(isTold) && parts.some(isPattern);
}

export const bans: readonly Ban[] = [
  {
    says: "use the machine's clock, or take the time as a parameter",
    finds: (node) =>
      isMember(node, "Date", "now") || isConstructionOf(node, "Date") || isGlobalMember(node, "performance"),
    allowedIn: mayTouchTheHost,
  },
  { says: "use base/random.ts", finds: (node) => isMember(node, "Math", "random"), allowedIn: anywhere },
  {
    says: "only src/host and src/app see the process",
    finds: (node) => isGlobalMember(node, "process"),
    allowedIn: mayTouchTheHost,
  },
  {
    says: "give sort a comparator: the default compares as text",
    finds: (node) => isCallOf(node, "sort", "toSorted") && node.arguments.length === 0,
    allowedIn: anywhere,
  },
  {
    says: "compare texts with <: another language has another order",
    finds: (node) => isCallOf(node, "localeCompare"),
    allowedIn: isTest,
  },
  { says: "use unknown", finds: (node) => node.kind === ts.SyntaxKind.AnyKeyword, allowedIn: anywhere },
  { says: "export by name", finds: isDefaultExport, allowedIn: (path) => path.endsWith(".config.ts") },
  { says: "a test is neither skipped nor alone; use skipIf with a reason", finds: isFocused, allowedIn: anywhere },
  {
    says: "a fact is data: ask for it, not for its words",
    finds: readsWords,
    allowedIn: isTest,
  },
  { says: "hash words in a fixed order, not JSON", finds: hashesJson, allowedIn: anywhere },
];

export function banViolations(source: Source): Violation[] {
  const found: Violation[] = [];
  for (const node of nodesOf(source.tree))
    for (const ban of bans)
      if (!ban.allowedIn(source.path) && ban.finds(node))
        found.push({ path: source.path, line: lineOf(source, node), says: ban.says });
  if (!mayTouchTheHost(source.path))
    for (const { node, specifier } of importsOf(source))
      if (specifier.startsWith("node:"))
        found.push({
          path: source.path,
          line: lineOf(source, node),
          says: `only src/host and src/app import ${specifier}`,
        });
  return found;
}

/** Words that mean "not done". Spelt in halves, so that this file passes its own check. */
const leftovers = new RegExp(`\\b(${["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"].join("|")})\\b`);

export function leftoverViolations(path: string, text: string): Violation[] {
  return text.split("\n").flatMap((content, index) => {
    const found = leftovers.exec(content);
    return found ? [{ path, line: index + 1, says: `finish what ${found[1]} left open` }] : [];
  });
}

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>>;
}

/**
 * A lock file that names a registry's host ties every clone to it; one without an entry for a package of another platform
 * is refused by `npm ci`.
 */
export function lockFileViolations(text: string): Violation[] {
  const path = "package-lock.json";
  const registries = text.split("\n").flatMap((content, index) => {
    const found = /"(?:resolved)":\s*"(https?:\/\/[^"]+)"/.exec(content);
    return found ? [{ path, line: index + 1, says: `names a registry: ${found[1]}` }] : [];
  });
  const { packages } = JSON.parse(text) as LockFile;
  const optional = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
  const missing = optional.filter((name) => packages[`node_modules/${name}`] === undefined);
  return [...registries, ...missing.map((name) => ({ path, line: 1, says: `has no entry for ${name}` }))];
}
