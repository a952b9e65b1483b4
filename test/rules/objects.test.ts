/** Objects that a program was given, where compiled code knows them and where TypeScript does (src/engines/rules/objects.ts). */
import { expect, it } from "vitest";
import { pm, type TraceBuilder } from "../trace/builder.ts";
import { type Build, fired } from "./support.ts";

/** The second has the hash of the first. */
const [first, second] = [pm, 2 * pm + 0xc00];

/** An object that is a lock: its stores do not count until it is freed. */
const given = (t: TraceBuilder, at: number): TraceBuilder => t.request("object-allocated", at, 40);
const lock = (t: TraceBuilder, at: number): TraceBuilder => t.request("remove-mapping", at, 40);

const begun: Build = (t) =>
  lock(lock(given(given(t.map(pm, 1 << 21).request("log-stores"), first), second), first), second);

it("an object is known by its start though another of the same hash was given out", () => {
  expect(fired((t) => begun(t).store(first).store(second))).toEqual([]);
  expect(fired((t) => begun(t).request("object-freed", first).store(second))).toEqual([]);
  expect(fired((t) => begun(t).request("object-freed", second).store(first))).toEqual([]);
  expect(fired((t) => begun(t).request("object-freed", first).store(first))).not.toEqual([]);
  expect(fired((t) => begun(t).request("object-freed", second).store(second))).not.toEqual([]);
});

it("an object that is freed twice is none the second time", () => {
  const twice: Build = (t) =>
    lock(begun(t).request("object-freed", first), first)
      .request("object-freed", first)
      .store(first + 8);
  expect(fired(twice)).toEqual([]);
  const givenAgain: Build = (t) =>
    given(begun(t).request("object-freed", first), second).request("object-freed", second);
  expect(
    fired((t) =>
      lock(givenAgain(t), second)
        .request("object-freed", second)
        .store(second + 8),
    ),
  ).toEqual([]);
});

it("a store over another in memory that a transaction was given is pointed out, in what it added it is not", () => {
  const overwritten: Build = (t) => t.store(pm, 1n).store(pm, 2n).request("tx-end").persist(pm);
  const started: Build = (t) => t.request("log-stores").request("tx-start");
  expect(fired((t) => overwritten(given(started(t), pm)))).toEqual(["repeated-store"]);
  expect(fired((t) => overwritten(started(t).request("tx-add", pm, 64)))).toEqual([]);
});
