/** The rules against their slow twin, on random traces: the same findings, first seen at the same event, as often. */
import { describe, expect, it } from "vitest";
import { below, pick, seedRandom } from "../../src/base/index.ts";
import { defaultRulesOptions, type PmMode, RulesEngine } from "../../src/engines/index.ts";
import { TrackerMemory } from "../../src/engines/rules/memory.ts";
import { decodeEvent, newTables, Recorder } from "../../src/trace/events/index.ts";
import { recordWords } from "../../src/trace/record/index.ts";
import { pm } from "../trace/builder.ts";
import { type PlainFinding, PlainRules } from "./plain-rules.ts";
import { firstSite, lockWord, someEvent } from "./random-events.ts";
import { type Build, fired } from "./support.ts";

/** Rules that the twin has no opinion on. */
const disabled = new Set(["loose-store", "overlapping-add", "repeated-add"]);

const usual = { lines: 6, stride: 1, fences: 170, sites: 5 };

function compare(seed: number, mode: PmMode, count: number, { sites, ...chance } = usual): void {
  const random = seedRandom(seed);
  const tables = newTables();
  const contexts = [0, 0x100, 0x200, 0x300].map((site) =>
    site === 0 ? 0 : tables.contexts.add(below(random, tables.contexts.count), site),
  );
  const plain = new PlainRules(tables, mode);
  const engine = new RulesEngine(tables, { ...defaultRulesOptions, mode, disabled });
  const twin = {
    events: (words: Uint32Array, first: number) => {
      for (let index = 0; index < words.length / recordWords; index++)
        plain.take(decodeEvent(words, index, first + index, tables.texts));
    },
    end: () => {},
  };
  const recorder = new Recorder([() => twin, () => engine], tables);
  for (let event = 0; event < count; event++) {
    const thread = 1 + below(random, 3);
    const place = { thread, site: firstSite + 0x1000 * below(random, sites), stack: pick(random, contexts) };
    const made = someEvent({ random, ...chance }, thread);
    recorder.note(place, made);
    // Some are operations that store: few words and values, so that locks are taken and given back.
    if (made.kind !== "locked" || below(random, 4) === 0) continue;
    for (const values of [3, 2])
      recorder.note(place, { kind: "store", address: lockWord(random), size: 4, value: BigInt(below(random, values)) });
  }
  recorder.note({ thread: 1, site: 0x10, stack: pick(random, contexts) }, { kind: "exit", status: 0 });
  recorder.end();
  const found = engine.drafts().map(
    ({ rule, cause, count }): PlainFinding => ({
      rule: rule.id,
      site: cause.site,
      stack: cause.stack,
      seq: cause.seq,
      value: cause.value,
      count,
    }),
  );
  expect(found, `seed ${seed}, ${mode}`).toEqual(plain.findings);
}

describe("the rules on random traces", () => {
  const first = 1;
  it.each(["dax", "msync"] as const)("find what their twin finds (%s)", (mode) => {
    for (let seed = first; seed < first + 80; seed++) compare(seed, mode, 40 * (1 + (seed % 8)));
  });
  it("agree on traces longer than one batch", () => compare(1000, "dax", 10_000));
  it("agree when the tables have to grow", () =>
    compare(2000, "dax", 20_000, { lines: 6000, stride: 129, fences: 2, sites: 200 }));
});

it("the rules say when there is more to follow than they can", () => {
  const memory = new TrackerMemory(1024);
  const allocateAll = () => {
    for (let blocks = 0; blocks < 64 * 1024; blocks++) memory.allocate(1024);
  };
  expect(allocateAll).toThrow("about a gigabyte");
});

it("a needless flush like one pointed out before counts as a flush of its line", () => {
  const line = pm + 64;
  const early: Build = (t) => t.flush(pm, { at: "early" }).flush(line, { at: "early" });
  expect(fired((t) => early(t).store(line, 2n))).toEqual(["flush-clean", "missing-flush"]);
  expect(fired((t) => early(t).store(line, 2n).persist(line))).toEqual(["flush-clean"]);
});
