import { expect, it } from "vitest";
import type { PmStore, TrackedLine } from "../../model/pmem/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import { statementCuts } from "./earlier.ts";

const store = (seq: number, site: number, further = false) => ({ seq, site, stack: 0, further }) as PmStore;
const line = (...pending: PmStore[]) => ({ pending }) as unknown as TrackedLine;
const framesOf = ({ site }: PmStore) =>
  [
    { address: site, function: "link", file: "/src/list.c", line: site, module: "/bin/list", inlined: false },
  ] as Frame[];
const keptOf = (open: readonly TrackedLine[], lost: PmStore) =>
  statementCuts(open, [lost], framesOf).map(({ cut }) => cut.kept);

it("a statement whose one store lies across two lines is lost as a whole with both", () => {
  const [before, first, second] = [store(9, 7), store(10, 8), store(11, 8, true)];
  expect(keptOf([line(before, first), line(second)], first)).toEqual([1, 0]);
  expect(keptOf([line(before, first), line(second)], second)).toEqual([1, 0]);
});

it("a line is not cut between the pieces of another statement's store", () => {
  expect(keptOf([line(store(9, 7)), line(store(10, 8, true), store(11, 8))], store(11, 8))).toEqual([]);
});
