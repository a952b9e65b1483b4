/**
 * Each rule of the model is left out in turn, in each model, and the litmus tests named for it must notice. Then each
 * cell of both order tables is changed; a change nothing can observe is listed below with the reason.
 */
import { describe, expect, test } from "vitest";
import {
  type CrashSets,
  crashSets,
  defaultOptions,
  type LitmusTest,
  type ModelName,
} from "../../src/model/litmus/index.ts";
import {
  bufferKinds,
  bufferOrderCell,
  type CellChange,
  type Order,
  type PmModel,
  programKinds,
  programOrderCell,
  px86,
  rules,
  withoutRule,
} from "../../src/model/pmem/index.ts";
import { jsonTests, ownTest } from "./own-tests.ts";

const baseline = new Map<string, CrashSets[]>();

function baselineOf(litmus: LitmusTest): CrashSets[] {
  const known = baseline.get(litmus.name) ?? crashSets(litmus, "axiomatic", defaultOptions);
  baseline.set(litmus.name, known);
  return known;
}

/** A mutant may also break an invariant we assert, which counts as noticed. */
function notices(litmus: LitmusTest, engine: ModelName, model: PmModel): boolean {
  const outcome = () => {
    try {
      return JSON.stringify(crashSets(litmus, engine, { ...defaultOptions, model }));
    } catch (error) {
      return String(error);
    }
  };
  return outcome() !== JSON.stringify(baselineOf(litmus));
}

describe.each(rules.map((rule) => [rule.id, rule] as const))("without %s", (id, rule) => {
  test.each(rule.caughtBy)("%s notices, in both models", (name) => {
    const litmus = ownTest(name);
    expect(notices(litmus, "operational", withoutRule(px86, id)), "operational").toBe(true);
    expect(notices(litmus, "axiomatic", withoutRule(px86, id)), "axiomatic").toBe(true);
  });
});

test("every rule has a test that catches its absence, and rules are numbered in order", () => {
  expect(rules.every(({ caughtBy }) => caughtBy.length > 0)).toBe(true);
  expect(rules.map(({ id }) => id)).toEqual(rules.map((_, index) => `PM-${index + 1}`));
});

/** `earlier>later` with any change, or `earlier>later:change`. */
const unobservable = new Set([
  // Operational: when a flush leaves is seen only through what it covers and what waits for it.
  ...["clflush>clflush", "clflush>clflushopt", "clflush>sfence", "sfence>clflush", "sfence>sfence"],
  ...[
    "clflushopt>store",
    "clflushopt>clflush",
    "clflushopt>clflushopt",
    "clflushopt>sfence",
    "clflushopt>ntstore:line",
  ],
  // A non-temporal store has its own flush, so another one of the line adds nothing.
  ...["ntstore>clflushopt", "N>FO:always"],
  // Axiomatic: edges out of a flush; completed flushes are found through program order instead.
  ...["FO>W:line", "FO>N:line", "FO>U", "FO>X", "FO>MF", "FO>SF", "FO>FO", "FO>FL"],
  ...["FL>R:line", "FL>U", "FL>X", "FL>MF", "FL>SF", "FL>FO", "FL>FL"],
  // Whatever is before or behind the fence is ordered directly as well, or through a store's own flush.
  ...["R>MF", "R>SF", "U>MF", "U>SF", "X>MF", "X>SF", "N>U", "N>X", "N>MF", "N>SF"],
  ...["MF>U", "MF>X", "MF>MF", "MF>SF", "MF>FL", "SF>U", "SF>X", "SF>MF", "SF>SF", "SF>FL"],
  // A fence has no line, so within-one-line means never.
  "SF>R:line",
]);

/** The instructions of the JSON notation that give each kind of event; only tests that have both can notice a change. */
const notation: Readonly<Record<string, readonly string[]>> = {
  ...{ store: ["W"], ntstore: ["NT"], clflush: ["FL"], clflushopt: ["FO"], sfence: ["SF"] },
  ...{ R: ["R"], W: ["W"], N: ["NT"], U: ["CAS", "FAA", "XCHG"], X: ["CAS"], MF: ["MF"], SF: ["SF"] },
  ...{ FO: ["FO", "NT"], FL: ["FL"] },
};

function concerns(litmus: LitmusTest, { earlier, later }: CellChange): boolean {
  const isKind = (kind: string) => (text: string) => notation[kind]?.includes(text.split(" ")[0] ?? "") ?? false;
  return litmus.phases.flat().some(({ code }) => {
    const texts = code.map(({ text }) => text);
    return texts.some(isKind(earlier)) && texts.some(isKind(later));
  });
}

const orders: readonly Order[] = ["always", "line", "never"];

function changesOf<Kind extends string>(
  table: CellChange["table"],
  kinds: readonly Kind[],
  cell: (a: Kind, b: Kind) => Order,
) {
  return kinds.flatMap((earlier) =>
    kinds.flatMap((later) =>
      orders
        .filter((order) => order !== cell(earlier, later))
        .filter(
          (order) => !unobservable.has(`${earlier}>${later}`) && !unobservable.has(`${earlier}>${later}:${order}`),
        )
        .map((order): CellChange => ({ table, earlier, later, order })),
    ),
  );
}

describe.each([
  ["operational", changesOf("buffer", bufferKinds, bufferOrderCell)],
  ["axiomatic", changesOf("program", programKinds, programOrderCell)],
] as const)("the order table of the %s model", (engine, changes) => {
  test.each(changes.map((change) => [`${change.earlier} before ${change.later}: ${change.order}`, change] as const))(
    "%s is noticed",
    (_name, change) => {
      const model = { ...px86, cells: [change] };
      const concerned = jsonTests.filter((litmus) => concerns(litmus, change));
      expect(concerned.some((litmus) => notices(litmus, engine, model))).toBe(true);
    },
  );
});
