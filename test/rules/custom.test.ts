import { describe, expect, it } from "vitest";
import { rule as atomicUpdate } from "../../examples/rules/atomic-update.ts";
import { rule as redundantUndoLog } from "../../examples/rules/redundant-undo-log.ts";
import { InputError } from "../../src/base/index.ts";
import { type CustomRule, CustomRules, rulesOfModule, type TypeLookup } from "../../src/engines/index.ts";
import { pm, TraceBuilder } from "../trace/builder.ts";

const types: TypeLookup = {
  find: (name) => (name === "account" ? 1 : undefined),
  sizeOf: (type) => (type === 1 ? 16 : undefined),
  memberAt: (_type, offset) => (offset < 8 ? "from" : "to"),
};

function run(rules: readonly CustomRule[], builder: TraceBuilder): CustomRules {
  let custom: CustomRules | undefined;
  builder.play((tables) => {
    custom = new CustomRules(tables, rules, { frames: () => [], types });
    return custom;
  });
  return custom!;
}

const plain = { severity: "error", title: "t", sentence: "s", advice: "a" } as const;

describe("the shipped examples", () => {
  it("find data that is logged twice", () => {
    const twice = new TraceBuilder()
      .request("tx-start")
      .request("tx-add", pm, 16)
      .request("tx-add", pm + 8, 16);
    expect(
      run([redundantUndoLog], twice)
        .drafts()
        .map(({ says }) => says),
    ).toEqual(["16 bytes at 0x100008 are in the undo log already"]);
    const once = new TraceBuilder()
      .request("tx-start")
      .request("tx-add", pm, 8)
      .request("tx-end")
      .request("tx-start")
      .request("tx-add", pm, 8);
    expect(run([redundantUndoLog], once).drafts()).toEqual([]);
  });
  it("find a structure that is changed outside its transaction", () => {
    const inside = () => new TraceBuilder().request("tx-start").request("tx-add", pm, 16).store(pm).request("tx-end");
    expect(run([atomicUpdate], inside()).drafts()).toEqual([]);
    expect(
      run([atomicUpdate], inside().store(pm + 8))
        .drafts()
        .map(({ says }) => says),
    ).toEqual(["account.to is stored to outside a transaction that has added it"]);
  });
});

describe("a rule that throws", () => {
  const thrower: CustomRule = {
    ...plain,
    id: "bad",
    start: () => ({
      event: () => {
        throw new Error("oops");
      },
    }),
  };
  const counter: CustomRule = {
    ...plain,
    id: "good",
    start: ({ report, mark }) => ({
      event: (event) => event.kind === "store" && report({ says: "store", cause: mark(event) }),
    }),
  };
  it("is told once, and costs nobody else anything", () => {
    const custom = run(
      [thrower, counter],
      new TraceBuilder().map().store(pm, 1n, { at: "s" }).store(pm, 2n, { at: "s" }),
    );
    expect(custom.failures).toEqual([{ id: "bad", seq: 0, message: "oops" }]);
    expect(custom.drafts().map(({ rule, count }) => [rule.id, count])).toEqual([["good", 2]]);
  });
  it("may throw as it starts", () => {
    const custom = run(
      [
        {
          ...plain,
          id: "bad",
          start: () => {
            throw new Error("no");
          },
        },
      ],
      new TraceBuilder().store(pm),
    );
    expect(custom.failures).toHaveLength(1);
  });
});

it("a module must export rules", () => {
  expect(rulesOfModule("a.ts", { rule: redundantUndoLog })).toEqual([redundantUndoLog]);
  expect(rulesOfModule("a.ts", { rules: [redundantUndoLog, atomicUpdate] })).toHaveLength(2);
  for (const module of [{}, { rule: 1 }, { rule: { ...plain, id: "x" } }, { rules: [] }])
    expect(() => rulesOfModule("a.ts", module)).toThrow(InputError);
});
