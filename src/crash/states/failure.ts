/**
 * When a recovery has failed, and which failures are alike. Always: alike means the same end and, where recovery was stopped
 * by an assertion, the same assertion; what else a recovery says may name what it met, and does not tell failures apart.
 */
import type { RecoveryEnd, Verdict } from "./recovery-machine.ts";

export const verdictFails = (verdict: Verdict, expectExit: number): boolean =>
  verdict.kind !== "exit" || verdict.code !== expectExit;

/** The failure of a recovery that ends well but prints what it should not. */
export const wrongOutput = "output";

/** The last line that a recovery wrote to its standard error. */
export const lastWords = ({ stderr }: Pick<RecoveryEnd, "stderr">): string => stderr.trim().split("\n").at(-1) ?? "";

const namesSource = /\bassert|[\w-]\.\w+:\d+/i;

/** Numbers become one sign; the line numbers that assertions name stay. */
const withoutNumbers = (text: string): string => text.replace(/(?<![\w:.])[-+]?(?:0x[\da-f]+|\d[\d.]*)/giu, "#");

/** What tells one assertion of a recovery from another; empty where its last words name neither place nor assertion. */
export function assertionOf(ended: Pick<RecoveryEnd, "verdict" | "stderr">): string {
  const said = lastWords(ended);
  return namesSource.test(said) || ended.verdict.kind === "signal" ? withoutNumbers(said) : "";
}

/** The same failure, wherever it came from. */
export function failureKey(ended: Pick<RecoveryEnd, "verdict" | "stderr">): string {
  const { verdict } = ended;
  const said = assertionOf(ended);
  if (verdict.kind === "signal") return `${verdict.name} ${verdict.site} ${said}`;
  return verdict.kind === "exit" ? `exit ${verdict.code} ${said}` : verdict.kind;
}

const verdictText: { readonly [K in Verdict["kind"]]: (verdict: Verdict & { readonly kind: K }) => string } = {
  exit: ({ code }) => `exits with ${code}`,
  signal: ({ name, address }) =>
    `is killed by ${name}${address === undefined ? "" : `, accessing 0x${address.toString(16)}`}`,
  deadlock: () => "waits for ever",
  hang: ({ instructions }) => `does not end within ${instructions} instructions`,
};

/** "exits with 1": what the recovery did. */
export const describeVerdict = (verdict: Verdict): string =>
  (verdictText[verdict.kind] as (verdict: Verdict) => string)(verdict);
