/** An input in a few words: what its bytes are that the path depends on. */
import type { Term } from "../../smt/index.ts";
import type { Explorer, PathEnd } from "./explorer.ts";
import { eachCondition } from "./path.ts";

const printableByte = (byte: number): string =>
  byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
    ? String.fromCharCode(byte)
    : `\\x${byte.toString(16).padStart(2, "0")}`;

/** Bytes that some condition of the path asks about, in the order of their inputs. */
function bytesThatMatter({ solving, unknowns }: Explorer, { conditions }: PathEnd) {
  const variables = new Set<Term>();
  for (const condition of eachCondition(conditions))
    for (const variable of solving.influence.of(condition)) variables.add(variable);
  return [...variables]
    .map((variable) => ({ variable, ...unknowns.about(variable) }))
    .sort((a, b) => (a.of === b.of ? a.index - b.index : a.of < b.of ? -1 : 1));
}

/** `stdin[0..3] = "PUT"`, `argument 1[0] = "\xff"`; neighbours stand together. */
export function inputWords(explorer: Explorer, end: PathEnd): string {
  const worth = explorer.unknowns.assignment(end.model);
  const runs: { of: string; from: number; text: string; count: number }[] = [];
  for (const { of, index, variable } of bytesThatMatter(explorer, end)) {
    const last = runs.at(-1);
    const text = printableByte(Number(worth(variable)));
    if (last !== undefined && last.of === of && last.from + last.count === index) {
      last.text += text;
      last.count++;
    } else runs.push({ of, from: index, text, count: 1 });
  }
  return runs.map(({ of, from, text, count }) => `${of}[${count === 1 ? from : `${from}..${from + count - 1}`}] = "${text}"`).join(", "); // biome-ignore format: one idea
}
