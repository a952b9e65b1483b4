/** The operational model driven directly, with addresses and lines such as a tracing machine would give it. */
import { expect, test } from "vitest";
import type { Line, ThreadId } from "../../../base/index.ts";
import { px86, withPlatform } from "../model.ts";
import {
  addThread,
  canUpdate,
  copyPmState,
  crashWindows,
  createPmState,
  departures,
  executeLocked,
  executeMfence,
  issueFlush,
  issueSfence,
  issueStore,
  leave,
  newestBuffered,
  openLines,
  type PmState,
  wouldPersist,
} from "./index.ts";

const T0 = 0 as ThreadId;
const T1 = 1 as ThreadId;
const lineOfAddress = (address: number) => Math.floor(address / 64) as Line;
const store = (state: PmState, thread: ThreadId, address: number, payload: number, nonTemporal = false) =>
  issueStore(state, thread, { line: lineOfAddress(address), address, size: 8, payload }, nonTemporal);
const drainAll = (state: PmState, thread: ThreadId) => {
  for (let free = departures(state, thread, px86); free.length > 0; free = departures(state, thread, px86))
    leave(state, thread, free[0] as number, px86);
};
const windowSizes = (state: PmState) => crashWindows(state, px86).map(({ from, to }) => [from, to]);

test("stores leave oldest first and become the line's log", () => {
  const state = createPmState(1);
  store(state, T0, 0x1000, 1);
  store(state, T0, 0x2000, 2);
  expect(departures(state, T0, px86)).toEqual([0]);
  drainAll(state, T0);
  expect(state.lines.get(lineOfAddress(0x2000))?.log.map(({ seq, payload }) => [seq, payload])).toEqual([[2, 2]]);
  expect(windowSizes(state)).toEqual([
    [0, 1],
    [0, 1],
  ]);
});

test("a store may not leave ahead of an earlier one", () => {
  const state = createPmState(1);
  store(state, T0, 0x1000, 1);
  store(state, T0, 0x2000, 2);
  expect(() => leave(state, T0, 1, px86)).toThrow("PM-1");
});

test("a load sees the newest overlapping store of its own buffer only", () => {
  const state = createPmState(2);
  store(state, T0, 0x1000, 1);
  store(state, T0, 0x1000, 2);
  expect(newestBuffered(state, T0, 0x1004, 4)?.payload).toBe(2);
  expect(newestBuffered(state, T0, 0x1008, 4)).toBeUndefined();
  expect(newestBuffered(state, T1, 0x1000, 8)).toBeUndefined();
});

test("clflush persists what is visible, later stores stay open", () => {
  const state = createPmState(1);
  store(state, T0, 0x1000, 1);
  issueFlush(state, T0, "clflush", lineOfAddress(0x1000), px86);
  store(state, T0, 0x1008, 2);
  drainAll(state, T0);
  expect(windowSizes(state)).toEqual([[1, 2]]);
  expect(openLines(state)).toEqual([lineOfAddress(0x1000)]);
});

test("clwb covers the own store before it, not the one after, and promises it only at the fence", () => {
  const state = createPmState(1);
  store(state, T0, 0x1000, 1);
  issueFlush(state, T0, "clwb", lineOfAddress(0x1000), px86);
  store(state, T0, 0x1000, 2);
  drainAll(state, T0);
  expect(windowSizes(state)).toEqual([[0, 2]]);
  expect(wouldPersist(state, T0)).toBe(true);
  issueSfence(state, T0);
  drainAll(state, T0);
  expect(windowSizes(state)).toEqual([[1, 2]]);
});

test("a fence completes its own thread's flushes and no other's", () => {
  const state = createPmState(1);
  expect(addThread(state)).toBe(T1);
  store(state, T0, 0x1000, 1);
  issueFlush(state, T0, "clflushopt", lineOfAddress(0x1000), px86);
  drainAll(state, T0);
  executeMfence(state, T1, px86);
  expect(windowSizes(state)).toEqual([[0, 1]]);
  executeMfence(state, T0, px86);
  expect(windowSizes(state)).toEqual([[1, 1]]);
});

test("a locked operation waits for the buffer, then is visible at once", () => {
  const state = createPmState(1);
  const cell = { line: lineOfAddress(0x2000), address: 0x2000, size: 8, payload: 9 };
  store(state, T0, 0x1000, 1);
  expect(canUpdate(state, T0, cell.line, px86)).toBe(false);
  expect(() => executeLocked(state, T0, cell.line, cell, px86)).toThrow("PM-8");
  drainAll(state, T0);
  executeLocked(state, T0, cell.line, cell, px86);
  expect(state.clock).toBe(2);
});

test("a non-temporal store may leave ahead of another line, and a fence persists it", () => {
  const state = createPmState(1);
  store(state, T0, 0x1000, 1);
  store(state, T0, 0x2000, 2, true);
  expect(departures(state, T0, px86)).toEqual([0, 1]);
  issueSfence(state, T0);
  drainAll(state, T0);
  expect(windowSizes(state)).toEqual([
    [0, 1],
    [1, 1],
  ]);
});

test("eADR has one choice, strict one cut through all lines", () => {
  const state = createPmState(1);
  store(state, T0, 0x1000, 1);
  store(state, T0, 0x2000, 2);
  issueFlush(state, T0, "clflush", lineOfAddress(0x2000), px86);
  store(state, T0, 0x1000, 3);
  drainAll(state, T0);
  const sizes = (platform: "eadr" | "strict") =>
    crashWindows(state, withPlatform(px86, platform)).map(({ from, to }) => [from, to]);
  expect(sizes("eadr")).toEqual([[3, 3]]);
  expect(sizes("strict")).toEqual([[2, 3]]);
});

test("the state is plain data: a clone and a copy go their own way", () => {
  const state = createPmState(1);
  store(state, T0, 0x1000, 1);
  const copy = copyPmState(state);
  expect(structuredClone(state)).toEqual(copy);
  drainAll(copy, T0);
  expect(state.threads[0]?.buffer.length).toBe(1);
  expect(state.lines.size).toBe(0);
});
