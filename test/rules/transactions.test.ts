/** What compiled code knows of transactions (src/engines/rules/plain-ranges.ts), against a twin that goes byte by byte. */
import { expect, it } from "vitest";
import { below, pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import { defaultRulesOptions, RulesEngine } from "../../src/engines/index.ts";
import {
  decodeEvent,
  type EventBody,
  newTables,
  ownTransaction,
  Recorder,
  type RequestKind,
  recordWords,
} from "../../src/trace/index.ts";
import { pm } from "../trace/builder.ts";
import { PlainTransactions } from "./plain-transactions.ts";

const requests = [
  ...(["tx-start", "tx-start", "tx-end", "tx-end", "tx-end", "tx-add", "tx-add", "tx-add"] as const),
  ...(["tx-remove", "tx-join", "tx-leave", "object-allocated", "object-freed"] as const),
] satisfies RequestKind[];

/** Stores to two lines, and what is told of the same lines. */
function someEvent(random: RandomState, thread: number): EventBody {
  const start = pm + 8 * below(random, 16);
  if (below(random, 10) < 6) {
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

function compare(seed: number): void {
  const random = seedRandom(seed);
  const tables = newTables();
  const plain = new PlainTransactions();
  const engine = new RulesEngine(tables, defaultRulesOptions);
  const twin = {
    events: (words: Uint32Array, first: number) => {
      for (let index = 0; index < words.length / recordWords; index++)
        plain.take(decodeEvent(words, index, first + index, tables.texts));
    },
    end: () => {},
  };
  const recorder = new Recorder([() => twin, () => engine], tables);
  for (let event = 0; event < 300; event++) {
    const thread = 1 + below(random, 2);
    recorder.note({ thread, site: 0x40_0000 + 16 * below(random, 4), stack: 0 }, someEvent(random, thread));
  }
  recorder.end();
  const found = engine
    .drafts()
    .filter(({ rule }) => rule.id === "unadded-store" || rule.id === "loose-store")
    .map(({ rule, cause, count }) => ({ rule: rule.id, site: cause.site, seq: cause.seq, count }));
  const order = (one: { readonly seq: number; readonly rule: string }) => `${one.seq} ${one.rule}`;
  const sorted = (list: typeof found) => [...list].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  expect(sorted(found), `seed ${seed}`).toEqual(sorted(plain.complaints));
}

it("stores that no transaction allows, and loose ones, are those that a look at every byte finds", () => {
  for (let seed = 1; seed <= 100; seed++) compare(seed);
});
