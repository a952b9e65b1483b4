/** An input in a few words: what its bytes are that are not as given. */
import { changedBytes } from "./fewest-bytes.ts";
import type { Model, Unknowns } from "./unknowns.ts";

const printableByte = (byte: number): string =>
  byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
    ? String.fromCharCode(byte)
    : `\\x${byte.toString(16).padStart(2, "0")}`;

/** `stdin[0..3] = "PUT"`, `argument 1[0] = "\xff"`; neighbours stand together. */
export function inputWords(unknowns: Unknowns, model: Model): string {
  const changed = changedBytes(unknowns, model)
    .map((variable) => ({ ...unknowns.about(variable), value: Number(model.get(variable)) }))
    .sort((a, b) => (a.of === b.of ? a.index - b.index : a.of < b.of ? -1 : 1));
  const runs: { of: string; from: number; text: string; count: number }[] = [];
  for (const { of, index, value } of changed) {
    const last = runs.at(-1);
    if (last !== undefined && last.of === of && last.from + last.count === index) {
      last.text += printableByte(value);
      last.count++;
    } else runs.push({ of, from: index, text: printableByte(value), count: 1 });
  }
  return runs.map(({ of, from, text, count }) => `${of}[${count === 1 ? from : `${from}..${from + count - 1}`}] = "${text}"`).join(", "); // biome-ignore format: one idea
}
