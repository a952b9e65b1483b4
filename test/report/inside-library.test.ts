/** Stores out of order inside a library are no error of the user's; one store of theirs makes it one. */
import { expect, it } from "vitest";
import type { Finding, StoreFact } from "../../src/crash/finding/index.ts";
import { withLibrariesMilder } from "../../src/report/render/index.ts";
import type { Frame } from "../../src/trace/events/index.ts";
import { finding, frame } from "./findings.ts";

const library = (name: string, module: string) => frame(name, undefined, { module: `/usr/lib/${module}` });
const by = (...frames: readonly Frame[]): StoreFact => ({
  path: "/pm/pool",
  mark: { seq: 1, thread: 1, site: 1, stack: 1, address: 0, size: 8, value: 1n },
  frames: [...frames, frame("main", 40)],
});
const libraryStore = by(library("palloc_exec", "libpmemobj.so.1"), library("pmemobj_root", "libpmemobj.so.1"));
const copied = by(library("memmove_nodrain", "libpmem.so.1"), library("pmem_memcpy", "libpmem.so.1"));
const usersStore = by(frame("append", 12));

function violation(pairs: readonly (readonly [missing: StoreFact, kept: StoreFact])[]): Finding {
  const [first, ...others] = pairs.map(([missing, kept]) => ({ missing, kept }));
  const facts = { reading: "too old", stale: 0n, sameValues: false } as const;
  return { ...finding("not-robust", "error", first!.missing.frames), order: { ...first!, ...facts, others } };
}
const own = (module: string) => module.startsWith("/bin/");

it.each([
  ["a library's two stores", [[libraryStore, libraryStore]], "warning"],
  ["the user's store lost", [[usersStore, libraryStore]], "error"],
  ["the user's store kept", [[libraryStore, usersStore]], "error"],
  ["what a library copied for the user", [[libraryStore, copied]], "error"],
  [
    "one more pair of the user's",
    [
      [libraryStore, libraryStore],
      [libraryStore, usersStore],
    ],
    "error",
  ],
] as const)("%s", (_, pairs, severity) => {
  const [told] = withLibrariesMilder([violation(pairs)], own);
  expect(told!.rule.severity).toBe(severity);
});

it("a module that the user calls their own is one", () => {
  const [told] = withLibrariesMilder([violation([[libraryStore, libraryStore]])], () => true);
  expect(told!.rule.severity).toBe("error");
});
