/** Litmus tests in JSON: `{"tests": [{name, locs, threads | phases, init?, checks}]}`; one test may stand alone. */
import { allOf, type Condition, recoveredEquals } from "./condition.ts";
import { parseInstruction } from "./instruction-text.ts";
import { type JsonNode, readJson } from "./json-text.ts";
import type { Check, LitmusTest, LitmusVerdict, Location, Phase, Thread } from "./program.ts";
import { inputError, type Source } from "./source.ts";

export function parseJsonTests(source: Source): LitmusTest[] {
  const root = object(source, readJson(source), "the file");
  const tests = root.get("tests");
  if (tests === undefined) return [parseTest(source, root, 0)];
  return array(source, tests, "tests").map((node) => parseTest(source, object(source, node, "a test"), node.offset));
}

type Entries = ReadonlyMap<string, JsonNode>;

function parseTest(source: Source, test: Entries, offset: number): LitmusTest {
  const name = text(source, required(source, test, "name", offset), "name");
  const locations = parseLocations(source, test, offset);
  const index = new Map(locations.map((location, at) => [location.name, at]));
  const phases = present(test, "phases");
  const parsed = phases
    ? array(source, phases, "phases").map((node) => parsePhase(source, node, index))
    : [parsePhase(source, required(source, test, "threads", offset), index)];
  const sourceNode = present(test, "source");
  const checks = present(test, "checks");
  return {
    name,
    source: sourceNode === undefined ? "" : text(source, sourceNode, "source"),
    locations,
    phases: parsed,
    checks: checks === undefined ? [] : array(source, checks, "checks").map((node) => parseCheck(source, node, index)),
  };
}

function parseLocations(source: Source, test: Entries, offset: number): Location[] {
  const initial = present(test, "init");
  const values = initial === undefined ? new Map<string, JsonNode>() : object(source, initial, "init");
  const lines = object(source, required(source, test, "locs", offset), "locs");
  for (const [name, node] of values)
    if (!lines.has(name))
      throw inputError(source, node.offset, "litmus/unknown-location", `unknown location ${name} in init.`);
  return [...lines].map(([name, line]) => {
    const value = values.get(name);
    return {
      name,
      line: whole(source, line, `locs.${name}`),
      initial: value === undefined ? 0 : whole(source, value, name),
    };
  });
}

function parsePhase(source: Source, node: JsonNode, locations: ReadonlyMap<string, number>): Phase {
  return array(source, node, "threads").map((thread): Thread => {
    const registers: string[] = [];
    const lines = array(source, thread, "a thread");
    const code = lines.map((line, index) => {
      const names = { source, locations, registers, index, length: lines.length };
      return parseInstruction(text(source, line, "an instruction"), line.offset + 1, names);
    });
    return { code, registers, initial: registers.map(() => 0) };
  });
}

function parseCheck(source: Source, node: JsonNode, locations: ReadonlyMap<string, number>): Check {
  const check = object(source, node, "a check");
  const crash = parseContents(source, required(source, check, "crash", node.offset), locations);
  const at = present(check, "at");
  if (at !== undefined && text(source, at, "at") !== "end")
    throw inputError(
      source,
      at.offset,
      "litmus/check",
      'the only value of "at" is "end"; leave it out for a crash at any point.',
    );
  const entry = present(check, "entry");
  const why = present(check, "why");
  const expected = verdictOf(source, check, "verdict");
  const expectedOnEadr = verdictOf(source, check, "eadr");
  const expectedWhenFailedCasIsLoad = verdictOf(source, check, "choModel");
  return {
    condition: crash,
    at: at === undefined ? "any" : "end",
    entry:
      entry === undefined ? [] : array(source, entry, "entry").map((item) => parseContents(source, item, locations)),
    why: why === undefined ? "" : text(source, why, "why"),
    ...(expected !== undefined && { expected }),
    ...(expectedOnEadr !== undefined && { expectedOnEadr }),
    ...(expectedWhenFailedCasIsLoad !== undefined && { expectedWhenFailedCasIsLoad }),
  };
}

function parseContents(source: Source, node: JsonNode, locations: ReadonlyMap<string, number>): Condition {
  const values = [...object(source, node, "crash")].map(([name, value]): [number, number] => {
    const location = locations.get(name);
    if (location === undefined)
      throw inputError(source, value.offset, "litmus/unknown-location", `unknown location ${name} in a condition.`);
    return [location, whole(source, value, name)];
  });
  return values.length === 0 ? allOf([]) : recoveredEquals(values);
}

function verdictOf(source: Source, check: Entries, key: string): LitmusVerdict | undefined {
  const node = present(check, key);
  if (node === undefined) return undefined;
  const word = text(source, node, key);
  if (word === "ALLOWED" || word === "FORBIDDEN") return word;
  throw inputError(source, node.offset, "litmus/check", `${key} is ALLOWED or FORBIDDEN, not ${word}.`);
}

/** An entry that is there and not null. */
function present(entries: Entries, key: string): JsonNode | undefined {
  const node = entries.get(key);
  return node?.kind === "literal" && node.value === null ? undefined : node;
}

function required(source: Source, entries: Entries, key: string, offset: number): JsonNode {
  const node = present(entries, key);
  if (node === undefined) throw inputError(source, offset, "litmus/missing", `"${key}" is missing here.`);
  return node;
}

const wrong = (source: Source, node: JsonNode, what: string, wanted: string) =>
  inputError(source, node.offset, "litmus/type", `${what} should be ${wanted}.`);

function object(source: Source, node: JsonNode, what: string): Entries {
  if (node.kind !== "object") throw wrong(source, node, what, "an object");
  return node.entries;
}

function array(source: Source, node: JsonNode, what: string): readonly JsonNode[] {
  if (node.kind !== "array") throw wrong(source, node, what, "an array");
  return node.items;
}

function text(source: Source, node: JsonNode, what: string): string {
  if (node.kind !== "string") throw wrong(source, node, what, "a string");
  return node.value;
}

function whole(source: Source, node: JsonNode, what: string): number {
  if (node.kind !== "number" || !Number.isSafeInteger(node.value)) throw wrong(source, node, what, "a whole number");
  return node.value;
}
