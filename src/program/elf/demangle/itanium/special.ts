/** Special names (Itanium C++ ABI, section 5.1.4.1 ff.): what the compiler makes besides the program's own functions. */
import { readEncoding, readName } from "./names.ts";
import { type Node, sequence } from "./nodes.ts";
import { NotMangled, type Parser } from "./parser.ts";
import { readType } from "./types.ts";

const ofType = (what: string) => (parser: Parser) => sequence(`${what} `, readType(parser));
const ofName = (what: string) => (parser: Parser) =>
  sequence(`${what} `, readName(parser, { suffix: "", endsInTemplate: false, isStructor: false }));
const ofEncoding = (what: string) => (parser: Parser) => sequence(`${what} `, readEncoding(parser));

const readers: Readonly<Record<string, (parser: Parser) => Node>> = {
  TV: ofType("vtable for"),
  TT: ofType("VTT for"),
  TI: ofType("typeinfo for"),
  TS: ofType("typeinfo name for"),
  TF: ofType("typeinfo fn for"),
  TJ: ofType("java Class for"),
  TC: (parser) => {
    const whole = readType(parser);
    parser.number();
    parser.need("_");
    return sequence("construction vtable for ", readType(parser), "-in-", whole);
  },
  Th: (parser) => {
    readOffset(parser, "h");
    return ofEncoding("non-virtual thunk to")(parser);
  },
  Tv: (parser) => {
    readOffset(parser, "v");
    return ofEncoding("virtual thunk to")(parser);
  },
  Tc: (parser) => {
    readOffset(parser, parser.next());
    readOffset(parser, parser.next());
    return ofEncoding("covariant return thunk to")(parser);
  },
  TH: ofName("TLS init function for"),
  TW: ofName("TLS wrapper function for"),
  TA: (parser) => sequence("template parameter object for ", readType(parser)),
  GV: ofName("guard variable for"),
  GR: (parser) => {
    const node = readName(parser, { suffix: "", endsInTemplate: false, isStructor: false });
    const digits = parser.match(/[0-9A-Z]*/y) ?? "";
    parser.take("_");
    return sequence(`reference temporary #${digits === "" ? 0 : Number.parseInt(digits, 36) + 1} for `, node);
  },
  GA: ofEncoding("hidden alias for"),
  GT: (parser) => {
    const kind = parser.next();
    return ofEncoding(kind === "n" ? "non-transaction clone for" : "transaction clone for")(parser);
  },
};

export function readSpecialName(parser: Parser): Node {
  const read = readers[parser.peek(2)];
  if (read === undefined) throw new NotMangled();
  parser.position += 2;
  return read(parser);
}

/** By how much a thunk moves `this`, which is not printed. */
function readOffset(parser: Parser, kind: string): void {
  const pattern = kind === "h" ? /n?\d+_/y : /n?\d+_n?\d+_/y;
  if (parser.match(pattern) === undefined) throw new NotMangled();
}
