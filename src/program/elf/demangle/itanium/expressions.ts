/** Template arguments and the expressions inside them and inside decltype (Itanium C++ ABI, sections 5.1.5.9 and 5.1.6). */
import { readEncoding, readName, readParam, readTemplateArgs } from "./names.ts";
import { type Node, name, sequence } from "./nodes.ts";
import { operators } from "./operators.ts";
import { NotMangled, type Parser } from "./parser.ts";
import { builtins, readSourceName, readType } from "./types.ts";

export function readTemplateArg(parser: Parser): Node {
  if (parser.take("X")) {
    const expression = readExpression(parser);
    parser.need("E");
    return expression;
  }
  if (parser.peek() === "L") return readLiteral(parser);
  if (parser.take("J") || parser.take("I")) {
    return { kind: "pack", items: parser.until("E", () => readTemplateArg(parser)) };
  }
  return readType(parser);
}

/** How integer literals of each type are marked; others are written as casts. */
const integerMarks: Readonly<Record<string, string>> = { i: "", j: "u", l: "l", m: "ul", x: "ll", y: "ull" };

function readLiteral(parser: Parser): Node {
  parser.need("L");
  if (parser.take("_Z") || parser.take("Z")) {
    const encoding = readEncoding(parser);
    parser.need("E");
    return encoding;
  }
  const code = parser.peek();
  const type = readType(parser);
  const value = parser.match(/n?[0-9a-f]*/y) ?? "";
  parser.need("E");
  const shown = value.replace("n", "-");
  if (code === "b" && value === "0") return name("false");
  if (code === "b" && value === "1") return name("true");
  if (integerMarks[code] !== undefined) return name(shown + integerMarks[code]);
  if (/[fdeg]/.test(code) && builtins[code] !== undefined) return sequence("(", type, `)[${shown}]`);
  return sequence("(", type, `)${shown}`);
}

export function readExpression(parser: Parser): Node {
  return parser.nested(() => {
    const next = parser.peek();
    if (next === "L") return readLiteral(parser);
    if (next === "T") return readParam(parser);
    if (/\d/.test(next)) return readUnresolved(parser);
    const read = readers[parser.peek(2)];
    if (read !== undefined) {
      parser.position += 2;
      return read(parser);
    }
    return readOperation(parser);
  });
}

/** Names and parameters stand alone; everything else is put in parentheses as an operand. */
function operand(node: Node): Node {
  const isSimple =
    (node.kind === "qualified" && node.name.kind !== "template") ||
    node.kind === "name" ||
    (node.kind === "sequence" && typeof node.parts[0] === "string" && /^\{/.test(node.parts[0]));
  return isSimple ? node : { kind: "parens", of: node };
}

function readOperation(parser: Parser): Node {
  const code = parser.peek(2);
  const operator = operators.get(code);
  if (operator === undefined) throw new NotMangled();
  parser.position += 2;
  if (operator.arity === 1) return readUnary(parser, code, operator.text);
  if (operator.arity === 3) throw new NotMangled();
  const left = readExpression(parser);
  const right = readExpression(parser);
  if (code === "ix") return sequence(operand(left), "[", right, "]");
  const whole = sequence(operand(left), operator.text, operand(right));
  // Inside template arguments a bare `>` would end the list.
  return code === "gt" ? { kind: "parens", of: whole } : whole;
}

function readUnary(parser: Parser, code: string, text: string): Node {
  const isPrefix = (code === "pp" || code === "mm") && parser.take("_");
  if (code === "st" || code === "at" || code === "ti") return sequence(text, "(", readType(parser), ")");
  const node = readExpression(parser);
  if ((code === "pp" || code === "mm") && !isPrefix) return sequence(operand(node), text);
  // The address of a member function is printed without its parameters, unless its qualifiers tell it apart.
  const isMethod = code === "ad" && node.kind === "encoding" && node.name.kind === "qualified" && node.suffix === "";
  return sequence(text, operand(isMethod ? node.name : node));
}

const commas = (items: readonly Node[]): Node => ({ kind: "commas", items });
const cast = (what: string) => (parser: Parser) => {
  const type = readType(parser);
  return sequence(`${what}<`, type, ">(", readExpression(parser), ")");
};

const readers: Readonly<Record<string, (parser: Parser) => Node>> = {
  fp: readFunctionParam,
  fL: (parser) => {
    parser.number();
    parser.need("p");
    return readFunctionParam(parser);
  },
  cl: (parser) => {
    const callee = readExpression(parser);
    const plain = callee.kind === "encoding" ? callee.name : callee;
    return sequence(operand(plain), "(", commas(parser.until("E", () => readExpression(parser))), ")");
  },
  cv: (parser) => {
    const type = readType(parser);
    const items = parser.take("_") ? parser.until("E", () => readExpression(parser)) : [readExpression(parser)];
    return sequence("(", type, ")(", commas(items), ")");
  },
  tl: (parser) => {
    const type = readType(parser);
    return sequence(type, "{", commas(parser.until("E", () => readExpression(parser))), "}");
  },
  il: (parser) => sequence("{", commas(parser.until("E", () => readExpression(parser))), "}"),
  dc: cast("dynamic_cast"),
  sc: cast("static_cast"),
  cc: cast("const_cast"),
  rc: cast("reinterpret_cast"),
  qu: (parser) => {
    const [condition, yes, no] = [readExpression(parser), readExpression(parser), readExpression(parser)];
    return sequence(operand(condition), "?", operand(yes), " : ", operand(no));
  },
  nw: (parser) => readNew(parser, "new "),
  na: (parser) => readNew(parser, "new[] "),
  dt: (parser) => sequence(operand(readExpression(parser)), ".", readMember(parser)),
  pt: (parser) => sequence(operand(readExpression(parser)), "->", readMember(parser)),
  sZ: (parser) => ({ kind: "pack-size", of: readExpression(parser) }),
  sP: (parser) => name(String(parser.until("E", () => readTemplateArg(parser)).length)),
  sp: (parser) => ({ kind: "expansion", of: readExpression(parser) }),
  nx: (parser) => sequence("noexcept (", readExpression(parser), ")"),
  tr: () => name("throw"),
  sr: readScoped,
  gs: (parser) => sequence("::", readExpression(parser)),
  on: readUnresolved,
  dn: readUnresolved,
  St: (parser) => {
    parser.position -= 2;
    return readName(parser, "type");
  },
  fl: (parser) => readFold(parser, (operator, pack) => ["(...", operator, pack, ")"]),
  fr: (parser) => readFold(parser, (operator, pack) => ["(", pack, operator, "...)"]),
  u1: (parser) => {
    parser.position -= 1;
    const vendor = readSourceName(parser);
    return sequence(`${vendor} (`, commas(parser.until("E", () => readTemplateArg(parser))), ")");
  },
};

function readFunctionParam(parser: Parser): Node {
  if (parser.take("T")) return name("this");
  parser.match(/[rVK]*/y);
  return name(`{parm#${parser.sequenceId(10) + 1}}`);
}

function readNew(parser: Parser, text: string): Node {
  const placement = parser.until("_", () => readExpression(parser));
  const type = readType(parser);
  const before = placement.length === 0 ? "" : sequence("(", commas(placement), ") ");
  if (parser.take("E")) return sequence(text, before, type);
  parser.need("pi");
  return sequence(text, before, type, "(", commas(parser.until("E", () => readExpression(parser))), ")");
}

/** The name after `.` or `->`. */
function readMember(parser: Parser): Node {
  return /\d|on|dn/.test(parser.peek()) ? readUnresolved(parser) : readExpression(parser);
}

function readFold(parser: Parser, shape: (operator: string, pack: Node) => (string | Node)[]): Node {
  const operator = operators.get(parser.peek(2));
  if (operator === undefined) throw new NotMangled();
  parser.position += 2;
  return sequence(...shape(operator.text, operand(readExpression(parser))));
}

/** A name that depends on template parameters: a plain one, or an operator's, with its arguments. */
function readUnresolved(parser: Parser): Node {
  parser.take("on");
  const isDestructor = parser.take("dn");
  const plain: Node = /\d/.test(parser.peek()) ? name(readSourceName(parser)) : readOperatorReference(parser);
  const named = isDestructor ? sequence("~", plain) : plain;
  return parser.peek() === "I" ? { kind: "template", name: named, args: readTemplateArgs(parser) } : named;
}

function readOperatorReference(parser: Parser): Node {
  const operator = operators.get(parser.peek(2));
  if (operator === undefined) return readType(parser);
  parser.position += 2;
  return { kind: "operator", text: operator.text.trimEnd() };
}

/**
 * sr <type> <name>, or, from newer compilers, sr <level>… E <name>. The longer form srN … E reads as a nested name, and
 * prints as one.
 */
function readScoped(parser: Parser): Node {
  if (!/\d/.test(parser.peek())) return readMemberOf(parser, readType(parser));
  const start = parser.position;
  const known = parser.substitutions.length;
  try {
    const [first, ...rest] = parser.until("E", () => readUnresolved(parser)) as [Node, ...Node[]];
    const scope = rest.reduce((outer, level): Node => ({ kind: "qualified", scope: outer, name: level }), first);
    return readMemberOf(parser, scope);
  } catch (error) {
    if (!(error instanceof NotMangled)) throw error;
    parser.position = start;
    parser.substitutions.length = known;
    return readMemberOf(parser, readType(parser));
  }
}

const readMemberOf = (parser: Parser, scope: Node): Node => ({
  kind: "qualified",
  scope,
  name: readUnresolved(parser),
});
