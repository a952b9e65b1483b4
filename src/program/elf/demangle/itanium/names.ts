/** Names and encodings (Itanium C++ ABI, sections 5.1.2, 5.1.3 and 5.1.6). */
import { readTemplateArg } from "./expressions.ts";
import { type Node, name, sequence } from "./nodes.ts";
import { operators } from "./operators.ts";
import { NotMangled, type Parser } from "./parser.ts";
import { readSpecialName } from "./special.ts";
import { readSourceName, readType, withoutVoid } from "./types.ts";

/** What a name's own text decides about the function it names. */
interface NameTraits {
  /** Qualifiers of a member function: ` const`, ` &`. */
  suffix: string;
  endsInTemplate: boolean;
  /** Constructors, destructors and conversions have no result even as templates. */
  isStructor: boolean;
}

/** For a name that is a type's, nobody asks for its traits. */
export type NameUse = "type" | NameTraits;

export function readEncoding(parser: Parser): Node {
  return parser.nested(() => {
    if (parser.peek() === "T" || parser.peek() === "G") return readSpecialName(parser);
    const traits: NameTraits = { suffix: "", endsInTemplate: false, isStructor: false };
    const named = readName(parser, traits);
    const isFunction = !parser.atEnd && !/[E.]/.test(parser.peek());
    return isFunction ? readSignature(parser, named, traits) : named;
  });
}

function readSignature(parser: Parser, named: Node, traits: NameTraits): Node {
  const hasResult = traits.endsInTemplate && !traits.isStructor;
  if (parser.take("J") || parser.take("Y")) throw new NotMangled();
  const result = hasResult ? readType(parser) : undefined;
  const params: Node[] = [];
  do params.push(readType(parser));
  while (!parser.atEnd && !/[E.Q]/.test(parser.peek()));
  const templateArgs = templateArgsOf(named);
  return { kind: "encoding", name: named, result, params: withoutVoid(params), suffix: traits.suffix, templateArgs };
}

function templateArgsOf(node: Node): readonly Node[] | undefined {
  if (node.kind === "template") return node.args;
  return node.kind === "qualified" || node.kind === "tagged" ? templateArgsOf(node.name) : undefined;
}

export function readName(parser: Parser, use: NameUse): Node {
  const next = parser.peek();
  if (next === "N") return readNestedName(parser, use);
  if (next === "Z") return readLocalName(parser, use);
  if (next === "S" && parser.peek(2) !== "St") {
    const substitution = readSubstitution(parser, "name");
    if (parser.peek() !== "I") return substitution;
    return readTemplateOf(parser, substitution, use);
  }
  const unscoped = readUnscopedName(parser, use);
  if (parser.peek() !== "I") return unscoped;
  parser.remember(unscoped);
  return readTemplateOf(parser, unscoped, use);
}

function readUnscopedName(parser: Parser, use: NameUse): Node {
  if (!parser.take("St")) return readUnqualifiedName(parser, use, undefined);
  const plain = readUnqualifiedName(parser, use, name("std"));
  return { kind: "qualified", scope: name("std"), name: plain };
}

function readTemplateOf(parser: Parser, of: Node, use: NameUse): Node {
  const args = readTemplateArgs(parser);
  if (use !== "type") use.endsInTemplate = true;
  return { kind: "template", name: of, args };
}

export function readTemplateArgs(parser: Parser): readonly Node[] {
  parser.need("I");
  return parser.until("E", () => readTemplateArg(parser));
}

const qualifierSuffixes: Readonly<Record<string, string>> = { r: " __restrict", V: " volatile", K: " const" };

function readNestedName(parser: Parser, use: NameUse): Node {
  parser.need("N");
  const explicitObject = parser.take("H");
  const qualifiers = explicitObject ? "" : (parser.match(/[rVK]*/y) ?? "");
  const reference = parser.take("R") ? " &" : parser.take("O") ? " &&" : "";
  if (use !== "type") {
    use.suffix =
      [...qualifiers]
        .reverse()
        .map((one) => qualifierSuffixes[one])
        .join("") + reference;
  }
  let path: Node | undefined;
  while (!parser.take("E")) {
    path = readPathStep(parser, path, use);
    const isWhole = parser.peek() === "E";
    if (!isWhole && !isPlainStd(path)) parser.rememberOnce(path);
  }
  if (path === undefined) throw new NotMangled();
  return path;
}

const isPlainStd = (node: Node) => node.kind === "name" && node.text === "std";

function readPathStep(parser: Parser, path: Node | undefined, use: NameUse): Node {
  if (use !== "type") use.endsInTemplate = false;
  parser.take("L"); // internal linkage, which is not printed
  const next = parser.peek();
  if (next === "I" && path !== undefined) return readTemplateOf(parser, path, use);
  if (next === "M" && path !== undefined) {
    parser.need("M"); // the initialiser of a data member is a scope
    return path;
  }
  if (next === "S" && path === undefined) {
    if (parser.take("St")) return name("std");
    return readSubstitution(parser, "scope");
  }
  if (next === "T" && path === undefined) return parser.remember(readParam(parser));
  if (next === "D" && /D[tT]/.test(parser.peek(2))) return readType(parser);
  const step = readUnqualifiedName(parser, use, path);
  return path === undefined ? step : { kind: "qualified", scope: path, name: step };
}

function readUnqualifiedName(parser: Parser, use: NameUse, scope: Node | undefined): Node {
  parser.take("L");
  let node = readBareName(parser, use, scope);
  while (parser.take("B")) node = { kind: "tagged", name: node, tag: readSourceName(parser) };
  return node;
}

function readBareName(parser: Parser, use: NameUse, scope: Node | undefined): Node {
  const next = parser.peek();
  if (/\d/.test(next)) return name(readSourceName(parser));
  if (parser.take("Ut")) return unnamed("unnamed type", parser);
  if (parser.take("Ul")) return readLambda(parser);
  if (parser.take("DC")) return readStructuredBinding(parser);
  if (/C[1-5I]|D[0-5]/.test(parser.peek(2))) return readStructor(parser, use, scope);
  return readOperatorName(parser, use);
}

const unnamed = (what: string, parser: Parser): Node => name(`{${what}#${indexAfter(parser)}}`);

/** Discriminators of unnamed things count from 1 when printed: `_` is 1, `0_` is 2. */
function indexAfter(parser: Parser): number {
  const digits = parser.match(/\d*/y) ?? "";
  parser.need("_");
  return digits === "" ? 1 : Number(digits) + 2;
}

function readLambda(parser: Parser): Node {
  const params = parser.until("E", () => readType(parser));
  return { kind: "lambda", params: withoutVoid(params), index: indexAfter(parser) };
}

function readStructuredBinding(parser: Parser): Node {
  const names = parser.until("E", () => name(readSourceName(parser)));
  return sequence("[", { kind: "commas", items: names }, "]");
}

function readStructor(parser: Parser, use: NameUse, scope: Node | undefined): Node {
  if (scope === undefined) throw new NotMangled();
  const destructor = parser.next() === "D";
  const inherits = parser.take("I");
  parser.next();
  // An inherited constructor is printed under the name of the class it comes from.
  const of = inherits ? readType(parser) : scope;
  if (use !== "type") use.isStructor = true;
  return { kind: "structor", destructor, of };
}

/** Spellings used after the word `operator`, where they differ from those in expressions. */
function readOperatorName(parser: Parser, use: NameUse): Node {
  if (parser.take("cv")) {
    if (use !== "type") use.isStructor = true;
    parser.inConversion = true;
    const type = readType(parser);
    parser.inConversion = false;
    return { kind: "conversion", type };
  }
  if (parser.take("li")) return name(`operator"" ${readSourceName(parser)}`);
  if (/v\d/.test(parser.peek(2))) {
    parser.position += 2;
    return { kind: "operator", text: ` ${readSourceName(parser)}` };
  }
  const found = operators.get(parser.peek(2));
  if (found === undefined) throw new NotMangled();
  parser.position += 2;
  return { kind: "operator", text: found.text.trimEnd() };
}

/** A name inside a function: a variable, a class, a default argument's lambda, a string literal. */
function readLocalName(parser: Parser, use: NameUse): Node {
  parser.need("Z");
  const outer = withoutResult(readEncoding(parser));
  parser.need("E");
  if (parser.take("s")) {
    skipDiscriminator(parser);
    return { kind: "qualified", scope: outer, name: name("string literal") };
  }
  if (parser.take("d")) {
    const scope: Node = { kind: "qualified", scope: outer, name: name(`{default arg#${indexAfter(parser)}}`) };
    return { kind: "qualified", scope, name: readName(parser, use) };
  }
  const inner = readName(parser, use);
  skipDiscriminator(parser);
  return { kind: "qualified", scope: outer, name: inner };
}

const withoutResult = (node: Node): Node => (node.kind === "encoding" ? { ...node, result: undefined } : node);

function skipDiscriminator(parser: Parser): void {
  parser.match(/__\d+_|_\d/y);
}

const string = "std::basic_string<char, std::char_traits<char>, std::allocator<char> >";
/** Abbreviations: spelled short, and in full where a constructor's or destructor's name follows. */
const standard: Readonly<Record<string, { readonly short: string; readonly full: string; readonly last: string }>> = {
  a: { short: "std::allocator", full: "std::allocator", last: "allocator" },
  b: { short: "std::basic_string", full: "std::basic_string", last: "basic_string" },
  s: { short: "std::string", full: string, last: "basic_string" },
  i: { short: "std::istream", full: "std::basic_istream<char, std::char_traits<char> >", last: "basic_istream" },
  o: { short: "std::ostream", full: "std::basic_ostream<char, std::char_traits<char> >", last: "basic_ostream" },
  d: { short: "std::iostream", full: "std::basic_iostream<char, std::char_traits<char> >", last: "basic_iostream" },
};

function readSubstitution(parser: Parser, use: "name" | "scope"): Node {
  parser.need("S");
  const known = standard[parser.peek()];
  if (known === undefined) {
    const node = parser.substitutions[parser.sequenceId(36)];
    if (node === undefined) throw new NotMangled();
    return node;
  }
  parser.next();
  const isStructor = use === "scope" && /[CD]/.test(parser.peek());
  let node: Node = isStructor
    ? { kind: "qualified", scope: name(known.full.replace(/::[^:]*$|::basic_\w+<.*$/, "")), name: fullLast(known) }
    : name(known.short);
  let isTagged = false;
  while (parser.take("B")) {
    node = { kind: "tagged", name: node, tag: readSourceName(parser) };
    isTagged = true;
  }
  if (isTagged) parser.remember(node);
  else parser.abbreviations.add(node);
  return node;
}

/** The last component, arguments included, shaped so that a constructor finds its bare name. */
function fullLast(known: { readonly full: string; readonly last: string }): Node {
  const args = /<(.*[^ ]) ?>$/.exec(known.full)?.[1];
  const last = name(known.last);
  return args === undefined ? last : { kind: "template", name: last, args: [name(args)] };
}

/** `T_`, `T0_`, …; the level of nested generic lambdas is not printed. */
export function readParam(parser: Parser): Node {
  parser.need("T");
  if (parser.take("L")) {
    parser.number();
    parser.need("_");
  }
  return { kind: "param", index: parser.sequenceId(10) };
}
