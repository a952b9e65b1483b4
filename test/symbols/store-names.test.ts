/** Names of stores, compared with what the guest's source says beside each of them; and instances with the layout. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fieldPath, spellPath } from "../../src/elf/index.ts";
import { type StoredRange, type StoreName, StoreNames } from "../../src/symbols/index.ts";
import { compileGuest, guestSource } from "../support/programs.ts";
import { type TracedGuest, traceStores } from "./traced-stores.ts";

interface Expected {
  readonly texts: readonly string[];
  readonly members: readonly string[];
}

/** `// name: TEXT or TEXT; TYPE.PATH, TYPE.PATH` by line. A template's arguments have commas of their own. */
function expectedNames(source: string): ReadonlyMap<number, Expected> {
  const lines = readFileSync(source, "utf8").split("\n");
  return new Map(
    lines.flatMap((line, index) => {
      const [, texts, members] = /\/\/ name: (.*); (.*)$/.exec(line) ?? [];
      if (texts === undefined || members === undefined) return [];
      return [[index + 1, { texts: texts.split(" or "), members: members.split(/, (?![^<]*>)/) }] as const];
    }),
  );
}

/** "…" stands for anything, or nothing. */
const matches = (pattern: string, text: string): boolean => {
  const parts = pattern.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(text);
};

function complaint(expected: Expected, name: StoreName | undefined): string | undefined {
  if (name === undefined) return "has no name";
  if (!expected.texts.some((text) => matches(text, name.text))) return `is called ${name.text}`;
  const members = name.members.map(({ type, path }) => `${type.name}.${path}`);
  const missing = expected.members.filter((wanted) => !members.some((member) => matches(wanted, member)));
  return missing.length === 0 ? undefined : `is not ${missing.join(", ")} but ${members.join(", ")}`;
}

/** Each instance lies where the way from it to the part leads back to the store. */
function misplaced({ resolver }: TracedGuest, range: StoredRange, { members }: StoreName): readonly string[] {
  const types = resolver.types()!;
  return members.flatMap(({ type, instance, path }) => {
    const id = types.find(type.name);
    if (id === undefined || instance === undefined || type.kind === "base") return [];
    const found = spellPath(fieldPath(types, id, range.address - instance, range.size));
    return found === path ? [] : [`${type.name}.${path} at ${instance.toString(16)}, where ${found} is`];
  });
}

const guests = [
  ["raw.c", []],
  ["libpmem.c", ["-lpmem"]],
  ["pmemobj.c", ["-lpmemobj"]],
  ["classes.cpp", []],
] as const;
const builds = guests.flatMap(([guest, libraries]) =>
  ["-O0", "-O1", "-O2"].map((level) => ({ guest, level, libraries })),
);

describe.each(builds)("$guest at $level", ({ guest, level, libraries }) => {
  test("stores are called what the source says", () => {
    const source = guestSource(`names/${guest}`);
    const traced = traceStores(compileGuest(`names/${guest}`, [level, "-g", ...libraries]), source);
    const names = new StoreNames(traced.resolver);
    const expected = expectedNames(source);
    const complaints = new Set<string>();
    const seen = new Set<number>();
    for (const { question, line } of traced.stores) {
      const wanted = expected.get(line);
      if (wanted === undefined) continue;
      seen.add(line);
      const name = names.name(question);
      const what = complaint(wanted, name);
      if (what !== undefined) complaints.add(`line ${line} ${what}; ${name?.confidence}`);
      if (name === undefined) continue;
      for (const member of misplaced(traced, question, name)) complaints.add(`line ${line}: ${member}`);
    }
    expect([...complaints]).toEqual([]);
    expect([...expected.keys()].filter((line) => !seen.has(line))).toEqual([]);
  });
});
