/** Whose a function is, by the file it was written in. */
import { expect, test } from "vitest";
import { isOwn, ownModules } from "./own-code.ts";

const ownModule = ownModules(["/home/me/target/debug/store"], []);
const isOwnSource = (file: string) => isOwn({ module: "/home/me/target/debug/store", file, function: "f" }, ownModule);

test.each([
  ["/home/me/src/main.rs", true],
  ["/home/me/rust/deps/main.rs", true],
  ["/rustc/ed61e7d7e242494fb7057f2657300d9e77bb4fcb/library/core/src/ptr/mod.rs", false],
  ["/rust/deps/gimli-0.32.3/src/read/unit.rs", false],
  ["/home/me/.cargo/registry/src/index-1949cf8c6b5b557f/memmap2-0.9.5/src/lib.rs", false],
  ["/home/me/.cargo/git/checkouts/pmdk-rs-1f3/src/lib.rs", false],
  ["/usr/include/c++/12/bits/stl_vector.h", false],
])("%s: %s", (file, own) => expect(isOwnSource(file)).toBe(own));

const isOwnBy = (program: string, mine: readonly string[], notMine: readonly string[]) => {
  const own = ownModules([program], mine, notMine);
  return (file: string) => isOwn({ module: program, file, function: "f" }, own);
};

test("of a source, what the user says comes first", () => {
  const isOurs = isOwnBy("/home/me/app", ["/usr/include/ours/**"], ["/home/me/third_party/**"]);
  expect(isOurs("/usr/include/ours/pool.hpp")).toBe(true);
  expect(isOurs("/usr/include/theirs/pool.hpp")).toBe(false);
  expect(isOurs("/home/me/third_party/pool.hpp")).toBe(false);
  expect(isOurs("/home/me/src/pool.hpp")).toBe(true);
});

test("what is installed in /opt is a library's, but for a project that is built there", () => {
  expect(isOwnBy("/home/me/app", [], [])("/opt/pmdk/include/libpmemobj++/p.hpp")).toBe(false);
  expect(isOwnBy("/opt/shop/build/app", [], [])("/opt/shop/src/book.cpp")).toBe(true);
  expect(isOwnBy("/opt/shop/build/app", [], [])("/opt/pmdk/include/p.hpp")).toBe(false);
});
