/** The order, the epochs and the groups against their definitions, taken literally, on random runs. */
import { expect, it } from "vitest";
import { below, type Line, pick, seedRandom, type ThreadId } from "../../src/base/index.ts";
import { type Behaviour, outlineOf, represents, type StoreOrder } from "../../src/engines/represent/index.ts";
import {
  crashWindows,
  createPmState,
  departures,
  issueFlush,
  issueSfence,
  issueStore,
  leave,
  px86,
} from "../../src/model/pmem/index.ts";
import { collected, groupNumbers } from "./small-runs.ts";

const RUNS = Number(process.env.REPRESENT_RUNS ?? (process.env.SEEDED === "all" ? 400 : 100));
const seeds = Array.from({ length: RUNS }, (_, index) => Number(process.env.SEED ?? 1) + index);

const OBJECTS = 3;
const FIELDS = 3;

interface Taken {
  readonly order: StoreOrder;
  readonly ended: readonly Behaviour[];
  readonly objects: readonly number[];
  readonly fields: readonly number[];
  /** Pairs of stores of which some crash kept the second and not the first. */
  readonly separated: ReadonlySet<string>;
}

/** A random run of one thread in the operational model, which tells after each step what a crash may leave. */
function takenRun(seed: number, steps: number, late: ReadonlySet<number> = new Set()): Taken {
  const random = seedRandom(seed);
  const state = createPmState(1);
  const thread = 0 as ThreadId;
  const { behaviours, end } = collected();
  const objects: number[] = [];
  const fields: number[] = [];
  const separated = new Set<string>();
  const drain = () => {
    while (departures(state, thread, px86).length > 0) leave(state, thread, 0, px86);
  };
  for (let position = 0; position < steps; position++) {
    const object = below(random, OBJECTS);
    const field = below(random, FIELDS);
    const line = (object * FIELDS + (field === 2 ? 1 : field)) as Line;
    const step = below(random, 5);
    if (step < 2) {
      const statement = objects.length;
      const isLate = late.has(statement);
      const payload = behaviours.store({ position, line, statement, parts: [{ object, field }], isLate });
      objects.push(object);
      fields.push(field);
      issueStore(state, thread, { line, address: field, size: 1, payload });
    } else if (step === 2) issueFlush(state, thread, "clwb", line, px86);
    else if (step === 3) issueFlush(state, thread, pick(random, ["clwb", "clflush"] as const), line, px86);
    else issueSfence(state, thread);
    drain();
    const made: number[] = [];
    for (const { stores, from } of crashWindows(state, px86))
      for (const { payload } of stores.slice(0, from)) if (!behaviours.order.isDurable(payload)) made.push(payload);
    behaviours.durable(made, position);
    noteSeparated(crashWindows(state, px86), separated);
  }
  return { order: behaviours.order, ended: end(), objects, fields, separated };
}

/** Each line's cut is its own: two lines show every pair of cuts. */
function noteSeparated(windows: ReturnType<typeof crashWindows>, separated: Set<string>): void {
  for (const one of windows)
    for (const other of windows)
      for (let cut = one.from; cut <= one.to; cut++)
        for (let otherCut = other.from; otherCut <= other.to; otherCut++) {
          if (one === other && cut !== otherCut) continue;
          for (const lost of one.stores.slice(cut))
            for (const kept of other.stores.slice(0, otherCut)) separated.add(`${lost.payload} ${kept.payload}`);
        }
}

it(`the order is what no crash separates, in ${RUNS} runs`, () => {
  for (const seed of seeds) {
    const { order, objects, separated } = takenRun(seed, 14);
    for (let a = 0; a < objects.length; a++)
      for (let b = a + 1; b < objects.length; b++)
        expect({ seed, a, b, before: order.precedes(a, b) }).toEqual({
          seed,
          a,
          b,
          before: !separated.has(`${a} ${b}`),
        });
  }
});

/** Rules 1 and 2, by their words. */
function epochsByRule({ order, objects, fields }: Taken, late: ReadonlySet<number>): ReadonlySet<string> {
  const durableBefore = (store: number, position: number) =>
    (order.durableAt(store) ?? Number.POSITIVE_INFINITY) < position;
  const stores = objects.map((_, store) => store);
  const epochs: number[][] = [];
  for (let object = 0; object < OBJECTS; object++) {
    const own = stores.filter((store) => objects[store] === object);
    let epoch: number[] = [];
    for (const next of own) {
      const at = order.issuedAt(next);
      const repeats = epoch.some((store) => fields[store] === fields[next]);
      const earlier = own.filter((store) => store < next && !late.has(store));
      const allDurable = earlier.every((store) => durableBefore(store, at));
      const between = (store: number) =>
        stores.some(
          (other) =>
            objects[other] !== object && durableBefore(store, order.issuedAt(other)) && durableBefore(other, at),
        );
      if ((repeats && allDurable) || epoch.some(between)) {
        epochs.push(epoch);
        epoch = [];
      }
      epoch.push(next);
    }
    if (epoch.length > 0) epochs.push(epoch);
  }
  return new Set(epochs.map((epoch) => epoch.join()));
}

it(`epochs are those of the rules, in ${RUNS} runs`, () => {
  let cuts = 0;
  for (const seed of seeds) {
    // In every other run it is known what is never durable.
    const { order, objects } = takenRun(seed, 60);
    const late = new Set(objects.flatMap((_, store) => (seed % 2 === 0 && !order.isDurable(store) ? [store] : [])));
    const taken = takenRun(seed, 60, late);
    const found = taken.ended.map(({ stores }) => stores.join());
    expect({ seed, epochs: new Set(found) }).toEqual({ seed, epochs: epochsByRule(taken, late) });
    cuts += found.length;
  }
  expect(cuts).toBeGreaterThan(2 * OBJECTS * RUNS);
});

/** One behaviour after another, none taken for alike. */
function groupsOneByOne(behaviours: readonly Behaviour[], order: StoreOrder): ReadonlySet<string> {
  const signed = behaviours.map((behaviour) => ({ behaviour, outline: outlineOf(behaviour, order) }));
  const size = ({ times }: { times: readonly number[] }) => times.reduce((sum, one) => sum + one, 0);
  const weight = ({ strengths }: { strengths: readonly number[] }) => strengths.reduce((sum, one) => sum + one, 0);
  const sorted = signed.toSorted((a, b) => size(b.outline) - size(a.outline) || weight(a.outline) - weight(b.outline));
  const groups: (typeof signed)[] = [];
  for (const one of sorted) {
    const fitting = groups.filter(([leader]) => represents(leader!.outline, one.outline));
    for (const group of fitting) group.push(one);
    if (fitting.length === 0) groups.push([one]);
  }
  const numbers = (group: typeof signed) => group.map(({ behaviour }) => behaviours.indexOf(behaviour));
  return new Set(
    groups.map((group) =>
      numbers(group)
        .sort((a, b) => a - b)
        .join(),
    ),
  );
}

it(`groups are the same when no behaviours are taken together, in ${RUNS} runs`, () => {
  let grouped = 0;
  for (const seed of seeds) {
    const { order, ended: all } = takenRun(seed, 80);
    const groups = groupNumbers(all, order).map((numbers) => numbers.sort((a, b) => a - b).join());
    expect({ seed, groups: new Set(groups) }).toEqual({ seed, groups: groupsOneByOne(all, order) });
    grouped += all.length - groups.length;
  }
  expect(grouped).toBeGreaterThan(RUNS);
});

/** None, some or all of the pairs of stores are ordered. */
function strengthByPairs(before: readonly number[], after: readonly number[], order: StoreOrder): number {
  const pairs = before.flatMap((a) => after.filter((b) => b !== a).map((b) => order.precedes(a, b)));
  if (!pairs.includes(true)) return 0;
  return pairs.includes(false) ? 1 : 2;
}

it(`outlines are those of all pairs of stores, in ${RUNS} runs`, () => {
  const seen = new Set<number>();
  for (const seed of seeds) {
    const { order, objects, fields } = takenRun(seed, 40);
    // Objects make no difference here: all stores of the run as one behaviour, cut anywhere.
    for (const from of [0, Math.floor(objects.length / 2)]) {
      const stores = objects.map((_, store) => store).slice(from);
      const labels = stores.map((store) => 3 * objects[store]! + fields[store]!);
      const outline = outlineOf({ objects: [0], stores, fields: labels }, order);
      const own = outline.fields.map((field) => stores.filter((_, index) => labels[index] === field));
      const strengths = own.flatMap((before) => own.map((after) => strengthByPairs(before, after, order)));
      expect({ seed, from, strengths: outline.strengths }).toEqual({ seed, from, strengths });
      for (const strength of strengths) seen.add(strength);
    }
  }
  expect([...seen].sort((a, b) => a - b)).toEqual([0, 1, 2]);
});

it("what refers to an object is known for as long as its own update lasts, however many numbers are stored meanwhile", () => {
  const { behaviours, end } = collected();
  const [referring, target, place] = [0, 1, 77];
  const store = (position: number, object: number, at: number) =>
    behaviours.store({
      position,
      line: position,
      statement: 0,
      parts: [{ object, field: object === target ? 1 : 0, begins: object === target ? place : 1e6 + object }],
      link: { owner: 0, target: at, objects: [] },
    });
  store(0, referring, place);
  for (let other = 2; other < 12_000; other++)
    behaviours.durable([store(2 * other, other, 1e9 + other)], 2 * other + 1);
  store(30_000, target, 5);
  const joined = end().filter(({ objects }) => objects.includes(target));
  expect(joined.map(({ objects }) => objects)).toEqual([[referring, target]]);
});
