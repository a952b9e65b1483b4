/**
 * Declarations that a program which imports the package can reach from its names, and no others: what only the inside needs is
 * neither shipped nor checked by a user's compiler, and names packages that are bundled. Always:
 * - A file of declarations is kept whole, with what it imports; of a file that hands on names of others, only names in use stay.
 * - What is left imports nothing but Node's modules. Whoever adds such an import to the surface hears of it here.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";

const isRelative = (specifier) => specifier.startsWith(".");
const targetOf = (file, specifier) => join(dirname(file), specifier.replace(/\.js$/, ".d.ts"));

/** What one file declares, hands on and imports. */
function readModule(file) {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const handedOn = new Map();
  const stars = [];
  const imports = [];
  const everything = (specifier) => imports.push({ specifier, names: undefined });
  const visit = (node) => {
    if (ts.isImportTypeNode(node)) {
      const { qualifier } = node;
      const first = qualifier && (ts.isIdentifier(qualifier) ? qualifier : leftmost(qualifier));
      if (first) imports.push({ specifier: node.argument.literal.text, names: [first.text] });
      else everything(node.argument.literal.text);
    }
    ts.forEachChild(node, visit);
  };
  const own = [];
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement) && statement.moduleSpecifier) {
      const specifier = statement.moduleSpecifier.text;
      const elements =
        statement.exportClause && ts.isNamedExports(statement.exportClause) && statement.exportClause.elements;
      if (!elements) stars.push({ statement, specifier });
      else
        for (const element of elements)
          handedOn.set(element.name.text, {
            statement,
            element,
            specifier,
            name: (element.propertyName ?? element.name).text,
          });
    } else if (ts.isImportDeclaration(statement)) {
      const bindings = statement.importClause?.namedBindings;
      const specifier = statement.moduleSpecifier.text;
      if (bindings && ts.isNamedImports(bindings) && !statement.importClause.name)
        imports.push({ specifier, names: bindings.elements.map((each) => (each.propertyName ?? each.name).text) });
      else everything(specifier);
    } else {
      own.push(statement);
      visit(statement);
    }
  }
  return {
    file,
    source,
    handedOn,
    stars,
    imports,
    names: new Set(own.flatMap(declaredNames)),
    whole: false,
    used: new Set(),
  };
}

function leftmost(name) {
  return ts.isIdentifier(name) ? name : leftmost(name.left);
}

function declaredNames(statement) {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.text);
  if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause))
    return statement.exportClause.elements.map(({ name }) => name.text);
  return statement.name ? [statement.name.text] : [];
}

/** Walks from the names of `entry`. */
class Reach {
  modules = new Map();
  outside = new Map();

  module(file) {
    if (!this.modules.has(file)) this.modules.set(file, readModule(file));
    return this.modules.get(file);
  }

  takeAll(file) {
    const module = this.module(file);
    for (const name of module.handedOn.keys()) this.take(file, name);
    for (const star of module.stars) {
      module.used.add(star.statement);
      this.takeAll(targetOf(file, star.specifier));
    }
    this.takeOwn(module);
  }

  /** Whether the file has the name. */
  take(file, name) {
    const module = this.module(file);
    const handed = module.handedOn.get(name);
    if (handed) {
      if (!module.used.has(handed.element)) {
        module.used.add(handed.element);
        this.follow(file, handed.specifier, [handed.name]);
      }
      return true;
    }
    if (module.names.has(name)) {
      this.takeOwn(module);
      return true;
    }
    for (const { statement, specifier } of module.stars)
      if (this.take(targetOf(file, specifier), name)) {
        module.used.add(statement);
        return true;
      }
    return false;
  }

  takeOwn(module) {
    if (module.whole) return;
    module.whole = true;
    for (const { specifier, names } of module.imports) this.follow(module.file, specifier, names);
  }

  follow(file, specifier, names) {
    if (!isRelative(specifier)) this.outside.set(specifier, file);
    else if (names === undefined) this.takeAll(targetOf(file, specifier));
    else
      for (const name of names)
        if (!this.take(targetOf(file, specifier), name)) throw new Error(`${file}: ${specifier} has no ${name}`);
  }
}

/** The file's text without what nobody uses. */
function keptText({ source, handedOn, stars, whole, used }) {
  const statements = new Set([...handedOn.values(), ...stars].map(({ statement }) => statement));
  return source.statements
    .flatMap((statement) => {
      if (!statements.has(statement)) return whole ? [statement.getFullText()] : [];
      if (used.has(statement)) return [statement.getFullText()];
      const elements = (statement.exportClause?.elements ?? []).filter((element) => used.has(element));
      const type = statement.isTypeOnly ? "type " : "";
      const names = elements.map((element) => element.getText()).join(", ");
      return names === "" ? [] : [`\nexport ${type}{ ${names} } from ${statement.moduleSpecifier.getText()};`];
    })
    .join("");
}

export function pruneTypes(folder, entry) {
  const reach = new Reach();
  reach.takeAll(join(folder, entry));
  const foreign = [...reach.outside].filter(([specifier]) => !specifier.startsWith("node:"));
  if (foreign.length > 0) {
    const where = foreign.map(([specifier, file]) => `${specifier} (${relative(folder, file)})`).join(", ");
    throw new Error(`The package's types import what it does not bring along: ${where}. Name the type in the surface.`);
  }
  const texts = new Map([...reach.modules].map(([file, module]) => [file, keptText(module)]));
  for (const name of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(name.parentPath, name.name);
    if (!name.isFile()) continue;
    const text = texts.get(file) ?? "";
    if (text.trim() === "") rmSync(file);
    else writeFileSync(file, `${text.trim()}\n`);
  }
  dropEmptyFolders(folder);
}

function dropEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) dropEmptyFolders(join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
}
