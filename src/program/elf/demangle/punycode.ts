/** Punycode (RFC 3492) as Rust's v0 mangling uses it: the delimiter is `_`, digits are lowercase. */

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const MAX_CODE_POINT = 0x10ffff;

/** Undefined when the text is not well formed. */
export function decodePunycode(text: string): string | undefined {
  const delimiter = text.lastIndexOf("_");
  const output = delimiter < 0 ? [] : [...text.slice(0, delimiter)];
  const digits = text.slice(delimiter + 1);
  let codePoint = 128;
  let bias = 72;
  let index = 0;
  let at = 0;
  while (at < digits.length) {
    const start = index;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      const digit = digitValue(digits[at++]);
      if (digit === undefined || index > MAX_CODE_POINT * 1000) return undefined;
      index += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = output.length + 1;
    bias = adapt(index - start, length, start === 0);
    codePoint += Math.floor(index / length);
    if (codePoint > MAX_CODE_POINT) return undefined;
    index %= length;
    output.splice(index++, 0, String.fromCodePoint(codePoint));
  }
  return output.join("");
}

function digitValue(letter: string | undefined): number | undefined {
  if (letter === undefined) return undefined;
  if (letter >= "a" && letter <= "z") return letter.charCodeAt(0) - 97;
  return letter >= "0" && letter <= "9" ? letter.charCodeAt(0) - 48 + 26 : undefined;
}

function adapt(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  while (rest > ((BASE - T_MIN) * T_MAX) / 2) {
    rest = Math.floor(rest / (BASE - T_MIN));
    k += BASE;
  }
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + 38));
}
