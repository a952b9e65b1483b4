/** Rules about transactions: a case that each fires on, and a fixed twin. */
import { pm, type TraceBuilder } from "../trace/builder.ts";
import type { Build } from "./support.ts";

const a = pm;

export interface RuleCase {
  readonly rule: string;
  readonly name: string;
  readonly bad: Build;
  /** The place that `bad` is to be blamed at. */
  readonly at: string;
  readonly good: Build;
}

export function inTransaction(t: TraceBuilder, start: number, length: number): TraceBuilder {
  return t.request("tx-start").request("tx-add", start, length).store(start, 9n).persist(start).request("tx-end");
}

export const transactionCases: readonly RuleCase[] = [
  {
    rule: "unadded-store",
    name: "a store next to the added range",
    bad: (t) =>
      t
        .request("tx-start")
        .request("tx-add", a, 8)
        .store(a)
        .store(a + 8, 2n, { at: "bug" })
        .request("tx-end")
        .persist(a),
    at: "bug",
    good: (t) =>
      t
        .request("tx-start")
        .request("tx-add", a, 8)
        .request("tx-add", a + 8, 8)
        .store(a)
        .store(a + 8)
        .request("tx-end")
        .persist(a),
  },
  {
    rule: "unadded-store",
    name: "a named transaction of which the thread is not part",
    bad: (t) =>
      t
        .request("tx-start", 0, 0, { transaction: 7, thread: 2 })
        .request("tx-add", a, 8, { transaction: 7, thread: 2 })
        .request("tx-start")
        .store(a, 1n, { at: "bug" })
        .request("tx-end")
        .persist(a),
    at: "bug",
    good: (t) =>
      t
        .request("tx-start", 0, 0, { transaction: 7, thread: 2 })
        .request("tx-add", a, 8, { transaction: 7, thread: 2 })
        .request("tx-start")
        .request("tx-join", 0, 0, { transaction: 7 })
        .store(a)
        .persist(a),
  },
  {
    rule: "unadded-store",
    name: "memory given out before the transaction, or given back in it",
    bad: (t) =>
      t
        .request("tx-start")
        .request("object-allocated", a, 64)
        .request("object-freed", a)
        .store(a, 1n, { at: "bug" })
        .request("tx-end")
        .persist(a),
    at: "bug",
    good: (t) => t.request("tx-start").request("object-allocated", a, 64).store(a).request("tx-end").persist(a),
  },
  {
    rule: "loose-store",
    name: "two fields changed outside, after a transaction",
    bad: (t) =>
      inTransaction(t, a, 32)
        .store(a, 1n, { at: "bug" })
        .store(a + 8, 2n)
        .persist(a),
    at: "bug",
    good: (t) =>
      inTransaction(t, a, 32)
        .store(a, 1n)
        .persist(a)
        .store(a + 8, 2n)
        .persist(a),
  },
  {
    rule: "overlapping-add",
    name: "two threads' transactions have a range at once",
    bad: (t) =>
      t
        .request("tx-start")
        .request("tx-add", a, 16)
        .request("tx-start", 0, 0, { thread: 2 })
        .request("tx-add", a + 8, 16, { thread: 2, at: "bug" }),
    at: "bug",
    good: (t) =>
      t
        .request("tx-start")
        .request("tx-add", a, 16)
        .request("tx-start", 0, 0, { thread: 2 })
        .request("tx-add", a + 16, 16, { thread: 2 })
        .request("tx-end")
        .request("tx-add", a, 16, { thread: 2 }),
  },
  {
    rule: "repeated-add",
    name: "an object and then its field",
    bad: (t) =>
      t
        .request("tx-start")
        .request("tx-add", a, 32)
        .request("tx-add", a + 8, 8, { at: "bug" })
        .request("tx-end"),
    at: "bug",
    good: (t) =>
      t
        .request("tx-start")
        .request("tx-add", a, 8)
        .request("tx-end")
        .request("tx-start")
        .request("tx-add", a, 8)
        .request("tx-end"),
  },
];
