/** Each rule fires on its case and is silent on the fixed twin. */
import { describe, expect, it } from "vitest";
import { ruleCatalogue } from "../../src/engines/index.ts";
import { pm, TraceBuilder } from "../trace/builder.ts";
import { type Build, fired, judge, placesOf } from "./support.ts";
import { inTransaction, type RuleCase, transactionCases } from "./transaction-cases.ts";

const [a, b, c] = [pm, pm + 64, pm + 256];
const library = 0x700_0000;

const twoStores: Build = (t) => t.store(a, 1n, { at: "first" }).store(a + 8, 2n, { at: "second" });

/** What libpmemobj says of a lock in an object: nobody is to wait for its stores to persist. */
const lockAt = (t: TraceBuilder, at: number): TraceBuilder =>
  t.store(a).persist(a).request("object-allocated", at, 40).request("remove-mapping", at, 40);

const cases: readonly RuleCase[] = [
  {
    rule: "missing-flush",
    name: "a later store to a line that was persisted before",
    bad: (t) => t.store(a, 1n).persist(a).store(a, 2n, { at: "bug" }),
    at: "bug",
    good: (t) => t.store(a, 1n).persist(a).store(a, 2n).persist(a),
  },
  {
    rule: "missing-flush",
    name: "a store after the flush of its line, before the fence",
    bad: (t) =>
      t
        .store(a, 1n)
        .flush(a)
        .store(a + 8, 2n, { at: "bug" })
        .fence(),
    at: "bug",
    good: (t) =>
      t
        .store(a, 1n)
        .store(a + 8, 2n, { at: "bug" })
        .flush(a)
        .fence(),
  },
  {
    rule: "missing-flush",
    name: "memory that goes away at unmap",
    bad: (t) =>
      t
        .store(a, 1n)
        .persist(a)
        .store(a + 16, 2n, { at: "bug" })
        .unmap(),
    at: "bug",
    good: (t) =>
      t
        .store(a, 1n)
        .persist(a)
        .store(a + 16, 2n)
        .msync(pm, 4096)
        .unmap(),
  },
  {
    rule: "missing-flush",
    name: "memory in which a lock was, taken out of persistent memory and then freed",
    bad: (t) =>
      lockAt(t, a + 8)
        .request("object-freed", a + 8)
        .store(a + 8, 2n, { at: "bug" }),
    at: "bug",
    good: (t) => lockAt(t, a + 8).store(a + 8, 2n),
  },
  {
    rule: "missing-fence",
    name: "clwb without a fence",
    bad: (t) => t.store(a).flush(a, { at: "bug" }),
    at: "bug",
    good: (t) => t.store(a).flush(a).fence(),
  },
  {
    rule: "missing-fence",
    name: "another thread's fence does not count",
    bad: (t) => t.store(a).flush(a, { at: "bug" }).fence({ thread: 2 }, "mfence"),
    at: "bug",
    good: (t) => t.store(a).flush(a).fence({}, "locked"),
  },
  {
    rule: "missing-fence",
    name: "a thread ends with its flush unfenced, and its number is used again",
    bad: (t) =>
      t
        .store(a, 1n, { thread: 2 })
        .flush(a, { at: "bug", thread: 2 })
        .add({ kind: "thread-end" }, { thread: 2 })
        .add({ kind: "thread-start", parent: 1 }, { thread: 2 })
        .fence({ thread: 2 }, "mfence"),
    at: "bug",
    good: (t) =>
      t
        .store(a, 1n, { thread: 2 })
        .flush(a, { thread: 2 })
        .fence({ thread: 2 })
        .add({ kind: "thread-end" }, { thread: 2 }),
  },
  {
    rule: "missing-fence",
    name: "a load fence completes nothing",
    bad: (t) => t.store(a).flush(a, { at: "bug" }, "clflushopt").fence({}, "lfence"),
    at: "bug",
    good: (t) => t.store(a).flush(a, {}, "clflush"),
  },
  {
    rule: "nontemporal-unfenced",
    name: "a non-temporal store at the end",
    bad: (t) => t.nonTemporal(a, 1n, { at: "bug" }),
    at: "bug",
    good: (t) => t.nonTemporal(a).fence(),
  },
  {
    rule: "dirty-overwrite",
    name: "a value replaced after other data was ordered",
    bad: (t) => t.store(a, 1n).persist(a).store(a, 2n, { at: "bug" }).store(c).persist(c).store(a, 3n).persist(a),
    at: "bug",
    good: (t) => t.store(a, 1n).persist(a).store(a, 2n).persist(a).store(c).persist(c).store(a, 3n).persist(a),
  },
  {
    rule: "flush-clean",
    name: "a second persist of the same data",
    bad: (t) => t.store(a).persist(a).flush(a, { at: "bug" }).fence(),
    at: "bug",
    good: (t) => t.store(a).persist(a).store(a, 2n).flush(a).fence(),
  },
  {
    rule: "flush-volatile",
    name: "a flush of the heap",
    bad: (t) => t.store(a).persist(a).flush(0x5000, { at: "bug" }).fence(),
    at: "bug",
    good: (t) => t.store(a).persist(a),
  },
  {
    rule: "flush-twice",
    name: "two objects in one line, each flushed",
    bad: (t) =>
      twoStores(t)
        .flush(a)
        .flush(a + 8, { at: "bug" })
        .fence(),
    at: "bug",
    good: (t) =>
      t
        .store(a)
        .flush(a)
        .store(a + 8)
        .flush(a + 8)
        .fence(),
  },
  {
    rule: "flush-nontemporal",
    name: "a flush after a streaming copy",
    bad: (t) =>
      t
        .nonTemporal(a)
        .nonTemporal(a + 8)
        .flush(a, { at: "bug" })
        .fence(),
    at: "bug",
    good: (t) =>
      t
        .nonTemporal(a)
        .nonTemporal(a + 8)
        .fence(),
  },
  {
    rule: "redundant-fence",
    name: "two fences in a row",
    bad: (t) => t.store(a).persist(a).fence({ at: "bug" }),
    at: "bug",
    good: (t) => t.store(a).persist(a),
  },
  {
    rule: "redundant-fence",
    name: "an mfence that completes flushes elsewhere",
    bad: (t) => t.store(a).flush(a).fence({ at: "bug" }, "mfence").fence({ at: "bug" }, "mfence"),
    at: "bug",
    good: (t) => t.store(a).flush(a).fence({}, "mfence").fence({ at: "a seq_cst fence" }, "mfence").fence({}, "locked"),
  },
  {
    rule: "transient-data",
    name: "a scratch buffer in persistent memory",
    bad: (t) => t.store(c, 5n, { at: "bug" }).store(a).persist(a),
    at: "bug",
    good: (t) => t.store(c, 5n).persist(c),
  },
  {
    rule: "shared-flush",
    name: "two fields, one flush",
    bad: (t) => twoStores(t).flush(a, { at: "bug" }).fence(),
    at: "bug",
    good: (t) =>
      t
        .store(a)
        .persist(a)
        .store(a + 8)
        .persist(a + 8),
  },
  {
    rule: "shared-fence",
    name: "two objects, one fence",
    bad: (t) => t.store(a).store(b).flush(a).flush(b).fence({ at: "bug" }),
    at: "bug",
    good: (t) => t.store(a).persist(a).store(b).persist(b),
  },
  {
    rule: "repeated-store",
    name: "a counter counted in persistent memory",
    bad: (t) => t.store(a, 1n, { at: "bug" }).store(a, 2n).persist(a),
    at: "bug",
    good: (t) => t.store(a, 1n).persist(a).store(a, 2n).persist(a),
  },
  ...transactionCases,
];

describe.each(cases)("$rule: $name", ({ rule, bad, at, good }) => {
  it("fires at its place", () => expect(placesOf(rule, bad, [at])).toEqual([at]));
  it("is silent on the fixed twin", () => expect(fired(good)).not.toContain(rule));
});

it("every rule has a case", () => {
  const tested = new Set(cases.map(({ rule }) => rule));
  // Locks have a file of their own.
  expect(ruleCatalogue.map(({ id }) => id).filter((id) => !tested.has(id))).toEqual(["transient-lock"]);
});

describe("no false alarms", () => {
  const silent: readonly [string, Build][] = [
    ["a line that another thread flushes and fences", (t) => t.store(a).flush(a, { thread: 2 }).fence({ thread: 2 })],
    [
      "two threads flush one line, the first one fences",
      (t) => t.store(a).flush(a).flush(a, { thread: 2 }).fence().fence({ thread: 2 }),
    ],
    [
      "two threads flush one line, the second one fences",
      (t) => t.store(a).flush(a).flush(a, { thread: 2 }).fence({ thread: 2 }).fence(),
    ],
    ["zeroed, then filled", (t) => t.store(a, 0n).store(c).persist(c).store(a, 5n).persist(a)],
    [
      "the same value again",
      (t) => t.store(a, 5n).persist(a).store(a, 7n, { at: "x" }).store(a, 7n, { at: "x" }).persist(a),
    ],
    [
      "neighbouring bytes of one word",
      (t) =>
        t
          .store(a, 1n, { size: 1, at: "s" })
          .store(a + 1, 2n, { size: 1, at: "s" })
          .persist(a),
    ],
    ["a locked operation as the fence", (t) => t.store(a).flush(a).fence({}, "locked")],
    [
      "a range flushed line by line from one place",
      (t) => t.store(a).store(b, 1n).flush(a, { at: "f" }).flush(b, { at: "f" }).fence(),
    ],
    [
      "a plain store that a non-temporal one to its line takes along",
      (t) =>
        t
          .store(a, 1n, { at: "s" })
          .nonTemporal(a + 8)
          .fence(),
    ],
    [
      "what the program took out of persistent memory",
      (t) =>
        t
          .store(a)
          .persist(a)
          .request("remove-mapping", a + 8, 40)
          .store(a + 8, 3n)
          .store(a + 8, 4n),
    ],
    [
      "what the program declared clean",
      (t) =>
        t
          .store(a)
          .persist(a)
          .store(a + 8, 3n)
          .request("set-clean", a, 64),
    ],
    ["flushes and fences the program declared", (t) => t.store(a).request("flush", a, 8).request("fence")],
    [
      "declared and real flushes of the same range",
      (t) => t.store(a).request("flush", a, 8).flush(a).request("fence").fence(),
    ],
    [
      "a store that a transaction covers, overwritten",
      (t) =>
        t
          .request("tx-start")
          .request("tx-add", a, 8)
          .store(a, 1n)
          .request("tx-ignore", c, 64)
          .store(c)
          .persist(c)
          .store(a, 2n)
          .request("tx-end")
          .persist(a),
    ],
    [
      "ignored ranges in a transaction",
      (t) => t.request("tx-ignore", a, 64).request("tx-start").store(a).request("tx-end").persist(a),
    ],
    [
      "memory given out within the transaction",
      (t) => t.request("tx-start").request("object-allocated", a, 64).store(a).persist(a).request("tx-end"),
    ],
    [
      "freed and given out anew",
      (t) =>
        inTransaction(t.request("object-allocated", a, 32), a, 32)
          .request("object-freed", a)
          .store(a, 1n, { at: "s" })
          .store(a + 8, 2n, { at: "s" })
          .persist(a),
    ],
    [
      "an object's constructor, called by the library",
      (t) =>
        inTransaction(t.code(library, 4096, "/usr/lib/libpmemobj.so.1"), a, 32)
          .store(a, 1n, { at: "s", from: "library" })
          .store(a + 8, 2n, { at: "s", from: "library" })
          .persist(a),
    ],
  ];
  it.each(silent)("%s", (_name, build) => {
    const trace = new TraceBuilder().place("library", library + 16).map();
    expect(judge(build(trace)).map(({ rule, says }) => `${rule.id}: ${says}`)).toEqual([]);
  });
});

describe("words and counts", () => {
  it("counts occurrences of one place and tells them by their calling context", () => {
    const build: Build = (t) => {
      for (const from of ["f", "f", "g"]) t.store(a).persist(a).flush(a, { at: "bug", from }).fence({ at: "fence" });
      return t;
    };
    const drafts = judge(build(new TraceBuilder().map())).filter(({ rule }) => rule.id === "flush-clean");
    expect(drafts.map(({ count }) => count)).toEqual([2, 1]);
  });

  it("says which store, with its value and place", () => {
    const [draft] = judge(
      new TraceBuilder()
        .map()
        .store(a)
        .persist(a)
        .store(a + 12, 0xbeefn, { size: 4 }),
    );
    expect(draft?.says).toBe(
      "the store of 4 bytes at 0x10000c (value 0xbeef) was never flushed, though its line is flushed at other times",
    );
    expect(draft?.cause).toMatchObject({ address: a + 12, size: 4, value: 0xbeefn, seq: 4 });
  });

  it("shows the store of an unfenced flush", () => {
    const [draft] = judge(
      new TraceBuilder()
        .map()
        .store(a + 8, 3n)
        .flush(a),
    );
    expect(draft?.evidence[0]).toMatchObject({ says: "8 bytes at 0x100008 (value 0x3) stored here", mark: { seq: 1 } });
  });
});

describe("platforms and modes", () => {
  const noFlush: Build = (t) => t.store(a).persist(a).store(a, 2n).store(c, 2n).nonTemporal(b);
  it("eADR keeps what still applies", () => {
    expect(fired(noFlush)).toEqual(expect.arrayContaining(["missing-flush", "transient-data", "nontemporal-unfenced"]));
    expect(fired(noFlush, { platform: "eadr" })).toEqual(["nontemporal-unfenced"]);
    expect(fired((t) => t.store(a).persist(a).flush(a).fence(), { platform: "eadr" })).toEqual(["flush-clean"]);
  });
  it("an ordinary file is persisted by msync alone", () => {
    expect(fired((t) => t.store(a).persist(a), { mode: "msync" })).toEqual(["transient-data"]);
    expect(fired((t) => t.store(a).nonTemporal(b).msync(pm, 4096), { mode: "msync" })).toEqual([]);
    const forgotten: Build = (t) => t.store(a).msync(pm, 4096).store(a, 2n);
    expect(fired(forgotten, { mode: "msync" })).toEqual(["missing-flush"]);
    expect(fired(forgotten, { mode: "msync", platform: "eadr" })).toEqual(["missing-flush"]);
    const [draft] = judge(forgotten(new TraceBuilder().map()), { mode: "msync" });
    expect([draft?.rule.title, draft?.says]).toEqual([
      "store never synced",
      expect.stringMatching(/never synced, though its page is synced/),
    ]);
  });
  it("rules can be left out", () => {
    expect(fired((t) => t.store(a).flush(a), { disabled: new Set(["missing-fence"]) })).toEqual([]);
  });
});
