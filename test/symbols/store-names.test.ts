/** Names of stores, compared with what the guest's source says beside each of them; and instances with the layout. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { below, next32, pick, seedRandom } from "../../src/base/index.ts";
import { fieldPath, readElf, readSections, spellPath } from "../../src/program/elf/index.ts";
import { Resolver, type StoredRange, type StoreName, StoreNames } from "../../src/program/symbols/index.ts";
import { compileGuest, guestSource } from "../support/programs.ts";
import { sampleStores, type TracedGuest, traceStores } from "./traced-stores.ts";

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
  (guest === "raw.c" ? ["-O0", "-O1", "-O2"] : ["-O0", "-O2"]).map((level) => ({ guest, level, libraries })),
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

describe.each(["-O0", "-O2"])("an index that varies, at %s", (level) => {
  const source = guestSource("names/raw.c");
  const program = compileGuest("names/raw.c", [level, "-g"]);
  const traced = traceStores(program, source);
  const lineOf = (text: string) =>
    readFileSync(source, "utf8")
      .split("\n")
      .findIndex((line) => line.includes(text)) + 1;
  const isFilled = ({ line }: { readonly line: number }) => line === lineOf("s->entries[i].value");
  const isPassed = ({ line }: { readonly line: number }) => line === lineOf("where[i] = c");

  test("is left open when nothing but the store is known", () => {
    const names = new StoreNames(traced.resolver);
    const { mapping, start, ...bare } = traced.stores.find(isFilled)!.question;
    const name = names.name(bare)!;
    expect([name.text, name.confidence]).toEqual(["s->entries[].value", "likely"]);
    expect(name.members.map(({ type, instance, path }) => [type.name, instance, path])).toEqual([
      ["store", undefined, "entries[].value"],
      ["entry [8]", undefined, "[].value"],
      ["entry", bare.address - 8, "value"],
    ]);
    expect([mapping === undefined, start === undefined]).toEqual([false, false]);
  });

  test("is found from registers and memory of a second run, in callers too", () => {
    const names = new StoreNames(traced.resolver);
    const said: string[] = [];
    const wanted = (store: { readonly line: number }) => isFilled(store) || isPassed(store);
    sampleStores(program, traced, wanted, (question) => {
      const { text, confidence, members } = names.name(question)!;
      said.push(`${text} ${confidence} ${members.every(({ instance }) => instance !== undefined)}`);
    });
    const filled = [0, 1, 2, 3, 4].map((index) => `s->entries[${index}].value exact true`);
    // At -O2 nothing holds the pointer any more that the caller passed.
    const tag = (index: number) =>
      level === "-O0" ? `s->head->tag[${index}] exact true` : "s->head->tag[] likely false";
    expect(said).toEqual([...filled, ...[0, 1, 2].map(tag)]);
  });
});

test("without debug information there are no names", () => {
  const program = compileGuest("names/raw.c", ["-O2"]);
  const traced = traceStores(compileGuest("names/raw.c", ["-O2", "-g"]), guestSource("names/raw.c"));
  const bare = new Resolver({ ...traced.options, readFile: () => new Uint8Array(readFileSync(program)) });
  const names = new StoreNames(bare);
  expect(traced.stores.map(({ question }) => names.name(question))).toEqual(traced.stores.map(() => undefined));
});

const seed = Number(process.env.SEED ?? 1);
test(`damaged debug information costs names and nothing else (seed ${seed})`, () => {
  const program = compileGuest("names/raw.c", ["-O2", "-g"]);
  const traced = traceStores(program, guestSource("names/raw.c"));
  const original = new Uint8Array(readFileSync(program));
  const sections = readSections(readElf(original, program)).filter(
    ({ name, size }) => /^\.(debug_|eh_frame$|rela|text$)/.test(name) && size > 0,
  );
  const random = seedRandom(seed);
  const counts = { named: 0, nameless: 0 };
  for (let round = 0; round < 60; round++) {
    const bytes = original.slice();
    for (let count = 1 + below(random, 12); count > 0; count--) {
      const { offset, size } = pick(random, sections);
      bytes[offset + below(random, size)] = next32(random) & 0xff;
    }
    const readFile = (path: string) => (path === program ? bytes : undefined);
    const names = new StoreNames(new Resolver({ ...traced.options, readFile }));
    try {
      for (const { question } of traced.stores) counts[names.name(question) === undefined ? "nameless" : "named"]++;
    } catch (error) {
      throw new Error(`seed ${seed}, round ${round}: nothing may escape`, { cause: error });
    }
  }
  expect(counts.named).toBeGreaterThan(0);
  expect(counts.nameless).toBeGreaterThan(0);
});
