/** Itanium C++ names: `_Z3fooi` is `foo(int)`, spelled as c++filt -i spells it. */
import { readEncoding } from "./names.ts";
import { NotMangled, Parser } from "./parser.ts";
import { Printer, TooLong, Unresolved } from "./print.ts";

const MAX_MANGLED = 0x1_0000;

/** Undefined when the text is not a mangled C++ name, or one beyond all reason. */
export function demangleItanium(mangled: string): string | undefined {
  const start = /^_{1,2}Z/.exec(mangled)?.[0].length;
  if (start === undefined || mangled.length > MAX_MANGLED) return undefined;
  try {
    const parser = new Parser(mangled, start);
    const node = readEncoding(parser);
    const clones = parser.match(/(?:\.[a-zA-Z_]\w*(?:\.\d+)*|\.\d+)*/y) ?? "";
    if (!parser.atEnd) return undefined;
    return new Printer().print(node) + spellClones(clones);
  } catch (error) {
    if (error instanceof NotMangled || error instanceof TooLong || error instanceof Unresolved) return undefined;
    throw error;
  }
}

/** `.constprop.0.isra.1` names two clonings. */
const spellClones = (suffix: string) =>
  [...suffix.matchAll(/\.[a-zA-Z_]\w*(?:\.\d+)*|\.\d+/g)].map(([clone]) => ` [clone ${clone}]`).join("");
