import { existsSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { below, pick, seedRandom } from "../../src/base/index.ts";
import { demangle, readElf, readSymbols } from "../../src/program/elf/index.ts";
import { bytesOf, isInstalled, openWorkshop, run } from "./compile.ts";
import { cppSubject, rustSubject } from "./subjects.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());

const mangledNamesOf = (path: string) => {
  const names = readSymbols(readElf(bytesOf(path), path)).map(({ name }) => name.replace(/@.*/, ""));
  return [...new Set(names)].filter((name) => /^_[ZR]/.test(name));
};

const hasCpp = isInstalled("g++");
const programNames = hasCpp
  ? mangledNamesOf(workshop.compile("g++", "program", cppSubject, ["-std=c++17"]))
  : ["_ZNSt6vectorIiSaIiEE9push_backERKi"];

/** One line per name; `-i` leaves out Rust's hashes and spells std::string short, as we do. */
const cxxfilt = (names: readonly string[]) =>
  run("c++filt", ["-i"], `${names.join("\n")}\n`)
    .trimEnd()
    .split("\n");

function differences(names: readonly string[]): readonly string[] {
  const theirs = cxxfilt(names);
  return names.flatMap((name, at) => {
    const ours = demangle(name);
    return ours === theirs[at] ? [] : [`${name}\n  ${ours}\n  ${theirs[at]}`];
  });
}

describe("every symbol as c++filt prints it", () => {
  const libraries = [
    { name: "libstdc++.so.6", atLeast: 4000 },
    { name: "libtbb.so.12", atLeast: 100 },
  ].map((library) => ({ ...library, path: `/usr/lib/x86_64-linux-gnu/${library.name}` }));
  test.each(libraries.filter(({ path }) => existsSync(path)))("$name", ({ path, atLeast }) => {
    const names = mangledNamesOf(path);
    expect(names.length).toBeGreaterThan(atLeast);
    expect(differences(names)).toEqual([]);
  });

  test.runIf(hasCpp)("a C++ program with lambdas, templates and packs", () => {
    expect(programNames.length).toBeGreaterThan(500);
    expect(differences(programNames)).toEqual([]);
  });

  test.runIf(isInstalled("rustc"))("a Rust program", () => {
    const flags = ["-g", "--edition=2021", "-C", "symbol-mangling-version=v0"];
    const names = mangledNamesOf(workshop.compile("rustc", "rusty", rustSubject, flags));
    expect(names.filter((name) => name.startsWith("_R")).length).toBeGreaterThan(100);
    expect(differences(names)).toEqual([]);
  });
});

describe("names by hand", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["main", "main"],
    ["_Z", "_Z"],
    ["_Zgarbage", "_Zgarbage"],
    ["_Z3fooi", "foo(int)"],
    ["_Z3foov.constprop.0.isra.1", "foo() [clone .constprop.0] [clone .isra.1]"],
    [
      "_ZNSt6vectorIiSaIiEE9push_backERKi@GLIBCXX_3.4",
      "std::vector<int, std::allocator<int> >::push_back(int const&)@GLIBCXX_3.4",
    ],
    ["_ZN1AcvT_IiEEv", "A::operator int<int>()"],
    ["_Z1fPFvPFivEE", "f(void (*)(int (*)()))"],
    ["_Z1fPA3_A4_i", "f(int (*) [3][4])"],
    ["_Z1fM1AKFvvE", "f(void (A::*)() const)"],
    ["_Z1fIJicEEvDpRKT_", "void f<int, char>(int const&, char const&)"],
    ["_Z1fIRiEvOT_", "void f<int&>(int&)"],
    ["_ZZ1fvE1x_0", "f()::x"],
    ["_ZZ1fvENKUliE0_clEi", "f()::{lambda(int)#2}::operator()(int) const"],
    ["_ZN1AB5cxx113fooB3bazEv", "A[abi:cxx11]::foo[abi:baz]()"],
    ["_ZThn16_N1A1fEv", "non-virtual thunk to A::f()"],
    ["_ZTv0_n24_N1A1fEv", "virtual thunk to A::f()"],
    ["_ZTC1A16_1B", "construction vtable for B-in-A"],
    ["_ZGVZ1fvE1x", "guard variable for f()::x"],
    ["_Z1fIiEDTcl1gfp_EET_", "decltype (g({parm#1})) f<int>(int)"],
    ["_Z1fILb1ELj3ELin2EEvv", "void f<true, 3u, -2>()"],
    ["_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"],
    [
      "_ZN50_$LT$T$u20$as$u20$core..convert..Into$LT$U$GT$$GT$4into17h0f1e2d3c4b5a6978E",
      "<T as core::convert::Into<U>>::into",
    ],
    ["_RNvC7mycrate3foo", "mycrate::foo"],
    ["_RNCNvC7mycrate3foos_0", "mycrate::foo::{closure#1}"],
    ["_RINvC7mycrate3fooTlNtB2_3BarEeE", "mycrate::foo::<(i32, mycrate::Bar), str>"],
    ["_RNvMs_C7mycrateNtB4_3Bar3new", "<mycrate::Bar>::new"],
    ["_RNvXC7mycrateNtB2_3BarNtB2_3Baz3run", "<mycrate::Bar as mycrate::Baz>::run"],
    ["_RINvC7mycrate3fooKj2a_Klnf_E", "mycrate::foo::<42, -15>"],
    ["_RNvC7mycrateu8gdel_5qa", "mycrate::gödel"],
  ];
  test.each(rows)("%s", (mangled, readable) => {
    expect(demangle(mangled)).toBe(readable);
  });
});

test("mutated names never escape as anything but text (seed 1)", () => {
  const random = seedRandom(1);
  const letters = [..."_0123456789ENISTZKRPDJLXcvFMOABCUtlspxE"];
  let changed = 0;
  for (let round = 0; round < 5_000; round++) {
    const name = [...pick(random, programNames)];
    for (let count = 1 + below(random, 4); count > 0; count--) {
      name.splice(2 + below(random, name.length), below(random, 3), pick(random, letters));
    }
    const mutant = name.join("");
    if (demangle(mutant) !== mutant) changed++;
  }
  expect(changed).toBeGreaterThan(100);
});

test("a name that would double at every step is given up, not computed", () => {
  const substitution = (index: number) => `S${index === 0 ? "" : (index - 1).toString(36).toUpperCase()}_`;
  // 1a<…> is remembered as the template's name and as the whole, so the newest whole is at every second index.
  const steps = Array.from({ length: 40 }, (_, at) => `1aI${substitution(2 * at + 1)}${substitution(2 * at + 1)}E`);
  const doubling = `_Z1f1aIiiE${steps.join("")}`;
  expect(demangle(doubling)).toBe(doubling);
  expect(demangle(`_Z1f1aIiiE${steps.slice(0, 2).join("")}`)).toMatch(
    /^f\(a<int, int>, a<a<int, int>, a<int, int> >, /,
  );
});
