/**
 * JSON Schema (draft 7) of the interfaces and type aliases in TypeScript files: as much of the language as the report's
 * types use; anything else throws. Comments become descriptions, and the tags @pattern, @minimum and @asType their keywords.
 */
import ts from "typescript";

export type Schema = { readonly [key: string]: unknown };
type Declaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration;

const keywords: Readonly<Record<number, Schema>> = {
  [ts.SyntaxKind.StringKeyword]: { type: "string" },
  [ts.SyntaxKind.NumberKeyword]: { type: "number" },
  [ts.SyntaxKind.BooleanKeyword]: { type: "boolean" },
};

/** Tags by name: what they add to a schema. */
const tags: Readonly<Record<string, (text: string) => Schema>> = {
  pattern: (text) => ({ pattern: text }),
  minimum: (text) => ({ minimum: Number(text) }),
  asType: (text) => ({ type: text }),
};

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

function comment(node: ts.Node): Schema {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = oneLine(ts.getTextOfJSDocComment(doc?.comment) ?? "");
  const tagged = ts.getJSDocTags(node).map(({ tagName, comment: words }) => {
    const make = tags[tagName.text];
    if (make === undefined) throw new Error(`no schema for the tag @${tagName.text}`);
    return make(oneLine(ts.getTextOfJSDocComment(words) ?? ""));
  });
  return Object.assign({}, text === "" ? {} : { description: text }, ...tagged);
}

function literal(node: ts.TypeNode): string | number {
  if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal)) return node.literal.text;
  if (ts.isLiteralTypeNode(node) && ts.isNumericLiteral(node.literal)) return Number(node.literal.text);
  throw new Error(`no schema for ${node.getText()}`);
}

function ofType(node: ts.TypeNode): Schema {
  const keyword = keywords[node.kind];
  if (keyword !== undefined) return keyword;
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword) return ofType(node.type);
  if (ts.isArrayTypeNode(node)) return { type: "array", items: ofType(node.elementType) };
  if (ts.isTypeReferenceNode(node)) return { $ref: `#/definitions/${node.typeName.getText()}` };
  if (!ts.isUnionTypeNode(node)) return { const: literal(node) };
  return node.types.every(ts.isTypeReferenceNode)
    ? { anyOf: node.types.map(ofType) }
    : { enum: node.types.map(literal) };
}

function property(node: ts.PropertySignature): Schema {
  const type = ofType(node.type!);
  const more = comment(node);
  // Beside a reference nothing counts in draft 7.
  return "$ref" in type && Object.keys(more).length > 0 ? { ...more, allOf: [type] } : { ...type, ...more };
}

class Declarations {
  readonly #byName = new Map<string, Declaration>();

  constructor(texts: readonly string[]) {
    for (const text of texts)
      for (const node of ts.createSourceFile("types.ts", text, ts.ScriptTarget.ES2023, true).statements)
        if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) this.#byName.set(node.name.text, node);
  }

  get names(): string[] {
    return [...this.#byName.keys()].sort((a, b) => (a < b ? -1 : 1));
  }

  /** Its own properties after those it inherits. */
  #properties(node: ts.InterfaceDeclaration): ts.PropertySignature[] {
    const bases = (node.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => type.expression.getText()));
    const inherited = bases.flatMap((name) => this.#properties(this.#byName.get(name) as ts.InterfaceDeclaration));
    return [...inherited, ...node.members.filter(ts.isPropertySignature)];
  }

  schema(name: string): Schema {
    const node = this.#byName.get(name)!;
    if (ts.isTypeAliasDeclaration(node)) return { ...ofType(node.type), ...comment(node) };
    const properties = this.#properties(node);
    return {
      ...comment(node),
      type: "object",
      required: properties.filter(({ questionToken }) => !questionToken).map((each) => each.name.getText()),
      properties: Object.fromEntries(properties.map((each) => [each.name.getText(), property(each)])),
    };
  }
}

export function schemaOfTypes(texts: readonly string[], root: string): Schema {
  const declarations = new Declarations(texts);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $ref: `#/definitions/${root}`,
    definitions: Object.fromEntries(declarations.names.map((name) => [name, declarations.schema(name)])),
  };
}
