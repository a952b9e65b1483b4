/** Bytes that are text, as text. */

/** One letter alone is a number as often as not. */
const isText = /^[\x20-\x7e\t\n\r]{2,}$/;

/** Text, perhaps with zeros behind it; undefined where it is something else. */
export function textIn(bytes: Uint8Array): string | undefined {
  const text = String.fromCharCode(...bytes).replace(/\0+$/, "");
  return isText.test(text) ? text : undefined;
}

/** `"message"` or `42`: a value of so many bytes as its reader thinks of it. */
export function valueWords(value: bigint, size: number): string {
  const bytes = Uint8Array.from({ length: size }, (_, at) => Number((value >> BigInt(8 * at)) & 0xffn));
  const text = textIn(bytes);
  return text === undefined ? numberWords(value) : JSON.stringify(text);
}

/** From here on, a number says more by its digits in base sixteen: addresses, sums, magic numbers. */
const firstInHex = 10_000n;

/** `1`, `0x197da57eb572fca3`. */
export const numberWords = (value: bigint): string => (value < firstInHex ? `${value}` : `0x${value.toString(16)}`);
