/**
 * Rust's first mangling: a C++ nested name that ends in a hash, `_ZN4core3fmt5Write9write_str17h0123456789abcdefE`.
 * The hash and suffixes of clones are left out. The escapes are those of rustc's legacy symbol names.
 */

const escapes: Readonly<Record<string, string>> = {
  C: ",",
  SP: "@",
  BP: "*",
  RF: "&",
  LT: "<",
  GT: ">",
  LP: "(",
  RP: ")",
};

/** A real hash is never so uniform that a C++ name would match it by chance. */
const MIN_DISTINCT_DIGITS = 5;

/** Undefined when the name is not one of these. */
export function demangleRustLegacy(mangled: string): string | undefined {
  const whole = /^_?_ZN(.*)17h([0-9a-f]{16})E(?:\.[\w.$@]+)?$/.exec(mangled);
  if (whole === null || new Set(whole[2]).size < MIN_DISTINCT_DIGITS) return undefined;
  const parts = splitParts(whole[1] as string);
  return parts === undefined || parts.length === 0 ? undefined : parts.map(decodePart).join("::");
}

function splitParts(text: string): readonly string[] | undefined {
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const digits = /^\d+/.exec(text.slice(at, at + 8))?.[0];
    if (digits === undefined) return undefined;
    const start = at + digits.length;
    at = start + Number(digits);
    if (at > text.length || Number(digits) === 0) return undefined;
    parts.push(text.slice(start, at));
  }
  return parts;
}

/** `_$LT$T$GT$..name` is `<T>::name`; the underscore only keeps the name from starting with an escape. */
const decodePart = (part: string): string =>
  part
    .replace(/^_(?=\$)/, "")
    .replaceAll(/\$([A-Z]+)\$|\$u([0-9a-f]{1,6})\$|\.\./g, (found, word?: string, code?: string) => {
      if (found === "..") return "::";
      if (word !== undefined) return escapes[word] ?? found;
      const point = Number.parseInt(code as string, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : found;
    });
