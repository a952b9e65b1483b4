/** Types (Itanium C++ ABI, section 5.1.5). */
import { readExpression } from "./expressions.ts";
import { readName, readParam, readTemplateArgs } from "./names.ts";
import { type Node, name, nothing, sequence } from "./nodes.ts";
import { NotMangled, type Parser } from "./parser.ts";

// biome-ignore format: columns stay aligned
export const builtins: Readonly<Record<string, string>> = {
  v: "void",  w: "wchar_t", b: "bool",  c: "char",     a: "signed char", h: "unsigned char",
  s: "short", t: "unsigned short", i: "int", j: "unsigned int", l: "long", m: "unsigned long",
  x: "long long", y: "unsigned long long", n: "__int128", o: "unsigned __int128",
  f: "float", d: "double", e: "long double", g: "__float128", z: "...",
  Dd: "decimal64", De: "decimal128", Df: "decimal32", Dh: "half", Di: "char32_t", Ds: "char16_t", Du: "char8_t",
  Da: "auto", Dc: "decltype(auto)", Dn: "decltype(nullptr)",
};

export function readType(parser: Parser): Node {
  return parser.nested(() => {
    const qualifiers = parser.match(/[rVK]+/y);
    if (qualifiers !== undefined) return readQualified(parser, qualifiers);
    const one = parser.peek();
    const two = parser.peek(2);
    const builtin = builtins[one] !== undefined ? one : builtins[two] !== undefined ? two : undefined;
    if (builtin !== undefined) {
      parser.position += builtin.length;
      return name(builtins[builtin] as string);
    }
    const read = typeReaders[two] ?? typeReaders[one];
    if (read !== undefined) return read(parser);
    return readClassType(parser);
  });
}

const suffixes: Readonly<Record<string, string>> = { r: " __restrict", V: " volatile", K: " const" };

/** Qualifiers are written outermost first and print nearest the type first. On a function type they follow it. */
function readQualified(parser: Parser, qualifiers: string): Node {
  const suffix = [...qualifiers]
    .reverse()
    .map((letter) => suffixes[letter])
    .join("");
  if (/^(F|D[oOwx])/.test(parser.peek(2))) {
    const of = readFunctionType(parser);
    return parser.remember({ ...of, suffix: sequence(suffix, of.suffix) });
  }
  return parser.remember({ kind: "suffixed", suffix, of: readType(parser) });
}

const pointer = (mark: "*" | "&" | "&&", code: string) => (parser: Parser) => {
  parser.need(code);
  return parser.remember({ kind: "pointer", mark, of: readType(parser) });
};

const suffixed = (code: string, suffix: string) => (parser: Parser) => {
  parser.need(code);
  return parser.remember({ kind: "suffixed", suffix, of: readType(parser) });
};

const typeReaders: Readonly<Record<string, (parser: Parser) => Node>> = {
  P: pointer("*", "P"),
  R: pointer("&", "R"),
  O: pointer("&&", "O"),
  C: suffixed("C", " _Complex"),
  G: suffixed("G", " _Imaginary"),
  F: (parser) => parser.remember(readFunctionType(parser)),
  Do: (parser) => parser.remember(readFunctionType(parser)),
  DO: (parser) => parser.remember(readFunctionType(parser)),
  Dw: (parser) => parser.remember(readFunctionType(parser)),
  Dx: (parser) => parser.remember(readFunctionType(parser)),
  A: readArray,
  M: readMemberPointer,
  T: readParamType,
  Dp: (parser) => {
    parser.need("Dp");
    return parser.remember({ kind: "expansion", of: readType(parser) });
  },
  Dt: readDecltype,
  DT: readDecltype,
  Dv: readVector,
  DF: readFloat,
  DB: (parser) => readBitInt(parser, "DB", "signed _BitInt"),
  DU: (parser) => readBitInt(parser, "DU", "unsigned _BitInt"),
  U: readVendorQualified,
  u: (parser) => {
    parser.need("u");
    const vendor = name(readSourceName(parser));
    return parser.remember(parser.peek() === "I" ? template(vendor, readTemplateArgs(parser)) : vendor);
  },
};

const template = (of: Node, args: readonly Node[]): Node => ({ kind: "template", name: of, args });

export function readSourceName(parser: Parser): string {
  const length = parser.number();
  const text = parser.peek(length);
  if (length === 0 || text.length < length) throw new NotMangled();
  parser.position += length;
  return /^_GLOBAL_[._$]N/.test(text) ? "(anonymous namespace)" : text;
}

const readClassType = (parser: Parser): Node => parser.rememberOnce(readName(parser, "type"));

/** `T_`, or a template template parameter with its arguments. */
function readParamType(parser: Parser): Node {
  // Ts, Tu and Te say struct, union or enum aloud, which is not printed.
  if (/T[sue]/.test(parser.peek(2))) {
    parser.position += 2;
    return readClassType(parser);
  }
  const param = parser.remember(readParam(parser));
  if (parser.peek() !== "I" || (parser.inConversion && !argsAreFollowedByArgs(parser))) return param;
  return parser.remember(template(param, readTemplateArgs(parser)));
}

/** After a conversion operator's type come the operator's own template arguments; they are not the parameter's. */
function argsAreFollowedByArgs(parser: Parser): boolean {
  const start = parser.position;
  const known = parser.substitutions.length;
  readTemplateArgs(parser);
  const isFollowed = parser.peek() === "I";
  parser.position = start;
  parser.substitutions.length = known;
  return isFollowed;
}

/** Exception specifications and the transaction mark come before the `F`. */
export function readFunctionType(parser: Parser): Node & { kind: "function" } {
  const before: (string | Node)[] = [];
  for (;;) {
    if (parser.take("Do")) before.push(" noexcept");
    else if (parser.take("DO")) {
      before.push(" noexcept(", readExpression(parser), ")");
      parser.need("E");
    } else if (parser.take("Dw")) {
      before.push(" throw(", { kind: "commas", items: parser.until("E", () => readType(parser)) }, ")");
    } else if (parser.take("Dx")) before.push(" transaction_safe");
    else break;
  }
  parser.need("F");
  parser.take("Y");
  const result = readType(parser);
  const params: Node[] = [];
  let reference = "";
  while (!parser.take("E")) {
    if (parser.take("RE")) {
      reference = " &";
      break;
    }
    if (parser.take("OE")) {
      reference = " &&";
      break;
    }
    params.push(readType(parser));
  }
  const suffix = reference === "" && before.length === 0 ? nothing : sequence(reference, ...before);
  return { kind: "function", result, params: withoutVoid(params), suffix };
}

/** A single `void` means no parameters. */
export const withoutVoid = (params: readonly Node[]): readonly Node[] =>
  params.length === 1 && params[0]?.kind === "name" && params[0].text === "void" ? [] : params;

function readArray(parser: Parser): Node {
  parser.need("A");
  const digits = parser.match(/\d+/y);
  const dimension = digits !== undefined ? name(digits) : parser.peek() === "_" ? undefined : readExpression(parser);
  parser.need("_");
  return parser.remember({ kind: "array", dimension, of: readType(parser) });
}

function readMemberPointer(parser: Parser): Node {
  parser.need("M");
  const owner = readType(parser);
  return parser.remember({ kind: "member-pointer", owner, of: readType(parser) });
}

function readDecltype(parser: Parser): Node {
  if (!parser.take("Dt")) parser.need("DT");
  const expression = readExpression(parser);
  parser.need("E");
  return parser.remember(sequence("decltype (", expression, ")"));
}

function readVector(parser: Parser): Node {
  parser.need("Dv");
  const size = parser.peek() === "_" ? readVectorExpression(parser) : name(String(parser.number()));
  parser.need("_");
  return parser.remember(sequence(readType(parser), " __vector(", size, ")"));
}

function readVectorExpression(parser: Parser): Node {
  parser.need("_");
  return readExpression(parser);
}

function readFloat(parser: Parser): Node {
  parser.need("DF");
  const bits = parser.number();
  const mark = parser.next();
  if (mark === "b") return name("std::bfloat16_t");
  return name(`_Float${bits}${mark === "x" ? "x" : ""}`);
}

function readBitInt(parser: Parser, code: string, spelled: string): Node {
  parser.need(code);
  const digits = parser.match(/\d+/y);
  const bits = digits !== undefined ? name(digits) : readExpression(parser);
  parser.need("_");
  return sequence(`${spelled}(`, bits, ")");
}

function readVendorQualified(parser: Parser): Node {
  parser.need("U");
  const vendor = readSourceName(parser);
  const args = parser.peek() === "I" ? template(name(vendor), readTemplateArgs(parser)) : name(vendor);
  const of = readType(parser);
  return parser.remember(sequence(of, " ", args));
}
