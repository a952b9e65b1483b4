/** How a recovery ended, in words, from a report alone. */
import { baseName, type LeakedObject, type Verdict } from "../document/index.ts";
import { printedAgainst } from "./printed-text.ts";

/** "leaves 112 bytes at 0x3c0550 of pool allocated that nothing refers to", or of several objects how many. */
export function leakText(objects: readonly LeakedObject[]): string {
  const [first] = objects;
  const bytes = objects.reduce((sum, { size }) => sum + size, 0);
  const place = first === undefined ? "" : ` at 0x${first.offset.toString(16)} of ${baseName(first.file)}`;
  return objects.length === 1
    ? `leaves an object of ${bytes} bytes${place} allocated that nothing refers to`
    : `leaves ${objects.length} objects of ${bytes} bytes allocated that nothing refers to, the first${place}`;
}

type Tellers = { readonly [K in Verdict["kind"]]: (verdict: Verdict & { readonly kind: K }) => string };

const tellers: Tellers = {
  exit: ({ code }) => `exits with ${code}`,
  signal: ({ name, address }) => `is killed by ${name}${address === undefined ? "" : `, accessing ${address}`}`,
  deadlock: () => "waits for ever",
  hang: ({ instructions }) => `does not end within ${instructions} instructions`,
  output: ({ printed, expected }) =>
    `prints ${printedAgainst(printed, expected, (right) => [...new Set(right)].join(" or "))}`,
  leak: ({ objects }) => leakText(objects),
};

/** "exits with 4 or 5, or is killed by SIGABRT": exit codes together. */
export function verdictsText(verdicts: readonly Verdict[]): string {
  const codes = verdicts.flatMap((verdict) => (verdict.kind === "exit" ? [verdict.code] : []));
  const exits = codes.length === 0 ? [] : [`exits with ${codes.sort((a, b) => a - b).join(" or ")}`];
  return [...exits, ...verdicts.filter(({ kind }) => kind !== "exit").map(verdictText)].join(", or ");
}

/** "exits with 1": what the recovery did. */
export const verdictText = (verdict: Verdict): string =>
  (tellers[verdict.kind] as (verdict: Verdict) => string)(verdict);
