/** How a recovery ended, in words, from a report alone. */
import type { Verdict } from "../document/index.ts";
import { quoted } from "./write-text.ts";

const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, " / ");
const said = (text: string): string => quoted(oneLine(text), 120);

type Tellers = { readonly [K in Verdict["kind"]]: (verdict: Verdict & { readonly kind: K }) => string };

const tellers: Tellers = {
  exit: ({ code }) => `exits with ${code}`,
  signal: ({ name, address }) => `is killed by ${name}${address === undefined ? "" : `, accessing ${address},`}`,
  deadlock: () => "waits for ever",
  hang: ({ instructions }) => `does not end within ${instructions} instructions`,
  output: ({ printed, expected }) =>
    `prints ${said(printed)}; after a clean stop it prints ${[...new Set(expected.map(said))].join(" or ")}`,
};

/** "exits with 1": what the recovery did. */
export const verdictText = (verdict: Verdict): string =>
  (tellers[verdict.kind] as (verdict: Verdict) => string)(verdict);
