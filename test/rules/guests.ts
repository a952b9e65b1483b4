/** The guests below guests/rules: for each rule some that break it and a mended twin of each. */
import { readdirSync } from "node:fs";
import { compileGuest, guestSource } from "../support/programs.ts";

const libraries: Readonly<Record<string, readonly string[]>> = { pmem: ["-lpmem"], obj: ["-lpmemobj", "-lpmem"] };

export interface RuleGuest {
  readonly rule: string;
  /** Below guests/rules. */
  readonly name: string;
}

export function compileRuleGuest(name: string): string {
  const kind = /(\w+)-(?:bad|good)\.\w+$/.exec(name)?.[1] ?? "";
  return compileGuest(`rules/${name}`, ["-O1", "-g", ...(libraries[kind] ?? [])]);
}

export const ruleGuests: readonly RuleGuest[] = readdirSync(guestSource("rules"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name: rule }) =>
    readdirSync(guestSource(`rules/${rule}`)).map((file) => ({ rule, name: `${rule}/${file}` })),
  );
