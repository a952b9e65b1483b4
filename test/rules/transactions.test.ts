/** What compiled code knows of transactions (src/engines/rules/plain-ranges.ts), against a twin that goes byte by byte. */
import { expect, it } from "vitest";
import { below, pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import { defaultRulesOptions, RulesEngine } from "../../src/engines/index.ts";
import {
  decodeEvent,
  type EventBody,
  type Frame,
  newTables,
  ownTransaction,
  Recorder,
} from "../../src/trace/events/index.ts";
import { type RequestKind, recordWords } from "../../src/trace/record/index.ts";
import { pm } from "../trace/builder.ts";
import { PlainTransactions } from "./plain-transactions.ts";
import { type Build, fired } from "./support.ts";

const judged = new Set(["unadded-store", "loose-store", "overlapping-add", "repeated-add"]);

const requests = [
  ...(["tx-start", "tx-start", "tx-end", "tx-end", "tx-end", "tx-add", "tx-add", "tx-add"] as const),
  ...(["tx-remove", "tx-join", "tx-leave", "object-allocated", "object-freed"] as const),
] satisfies RequestKind[];

/** Stores to two lines, and what is told of the same lines. */
function someEvent(random: RandomState, thread: number, stores: number): EventBody {
  const start = pm + 8 * below(random, 16);
  if (below(random, 10) < stores) {
    const size = pick(random, [1, 4, 8, 8]);
    return { kind: "store", address: start + below(random, 9 - size), size, value: BigInt(below(random, 4)) };
  }
  const request = below(random, 60) === 0 ? "tx-ignore" : pick(random, requests);
  const transaction = pick(random, [ownTransaction(thread), ownTransaction(thread), 1]);
  const length = pick(random, [4, 8, 24, 40]);
  // What is freed is known by its start: few starts, so that something is.
  const told = request.startsWith("object") ? { start: pm + 64 * below(random, 2), length: 40 } : { start, length };
  return { kind: "request", request, ...told, transaction };
}

const library = 0x50_0000;
const libraryCode: EventBody = {
  ...({ kind: "map", start: library, length: 0x1000, path: "/usr/lib/libpmemobj.so.1", offset: 0 } as const),
  ...{ persistent: false, executable: true },
};

const callsAt = (publishes: boolean): Frame[] => {
  const place = {
    address: 0,
    file: undefined,
    line: undefined,
    column: undefined,
    module: undefined,
    offset: undefined,
  };
  return [{ ...place, function: publishes ? "pmemobj_alloc" : "pmemobj_reserve", inlined: false }];
};

/** How many threads there are, how many events, and how many of ten are stores. */
interface Mix {
  readonly threads: number;
  readonly events: number;
  readonly stores: number;
}

function compare(seed: number, { threads, events, stores }: Mix): void {
  const random = seedRandom(seed);
  const tables = newTables();
  const own = tables.contexts.add(0, 0x40_1000);
  const inside = tables.contexts.add(own, library + 16);
  const plain = new PlainTransactions({ own, inside });
  const engine = new RulesEngine(tables, defaultRulesOptions, (_site, stack) => callsAt(stack === inside));
  const twin = {
    events: (words: Uint32Array, first: number) => {
      for (let index = 0; index < words.length / recordWords; index++)
        plain.take(decodeEvent(words, index, first + index, tables.texts));
    },
    end: () => {},
  };
  const recorder = new Recorder([() => twin, () => engine], tables);
  recorder.note({ thread: 1, site: 0, stack: 0 }, libraryCode);
  for (let event = 0; event < events; event++) {
    const thread = 1 + below(random, threads);
    const stack = pick(random, [0, 0, own, inside]);
    const code = stack === inside ? library : 0x40_0000;
    recorder.note({ thread, site: code + 16 * below(random, 4), stack }, someEvent(random, thread, stores));
  }
  recorder.end();
  const found = engine
    .drafts()
    .filter(({ rule }) => judged.has(rule.id))
    .map(({ rule, cause, count }) => ({ rule: rule.id, site: cause.site, stack: cause.stack, seq: cause.seq, count }));
  const order = (one: { readonly seq: number; readonly rule: string }) => `${one.seq} ${one.rule}`;
  const sorted = (list: typeof found) => [...list].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  expect(sorted(found), `seed ${seed}`).toEqual(sorted(plain.complaints));
}

it("stores that no transaction allows, loose ones and repeated addings are those that a look at every byte finds", () => {
  for (let seed = 1; seed <= 100; seed++) compare(seed, { threads: 2, events: 300, stores: 6 });
});

it("so they are where compiled code follows the transactions of one thread", () => {
  for (let seed = 1; seed <= 100; seed++) compare(seed, { threads: 1, events: 300, stores: 3 });
});

it("what is left of a range that was taken out in part is still allowed, and the part is not", () => {
  const begun: Build = (t) =>
    t.request("log-stores").request("tx-start").request("tx-add", pm, 16).request("tx-remove", pm, 8);
  const after =
    (address: number): Build =>
    (t) =>
      begun(t).store(address).request("tx-end").persist(address);
  expect(fired(after(pm + 8))).toEqual([]);
  expect(fired(after(pm))).toEqual(["unadded-store"]);
});

it("a store counts again where memory that did not is mapped anew", () => {
  const ignored: Build = (t) =>
    t
      .request("remove-mapping", pm, 64)
      .store(pm)
      .store(pm + 8);
  expect(fired(ignored)).toEqual([]);
  expect(
    fired((t) =>
      ignored(t)
        .request("register-mapping", pm, 64)
        .store(pm + 16),
    ),
  ).toEqual(["transient-data"]);
});
