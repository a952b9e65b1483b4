import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import {
  createSymbolizer,
  debugFileCandidates,
  type ElfFile,
  type Frame,
  readBuildId,
  readElf,
  readSections,
  readSymbols,
  type Symbolizer,
} from "../../src/program/elf/index.ts";
import { addr2line, asToolFrames, judge, type Verdict } from "./addr2line.ts";
import { bytesOf, isInstalled, openWorkshop, run } from "./compile.ts";
import { cppSubject, cSubject, rustSubject } from "./subjects.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());

const seed = 1;
const inflate = (bytes: Uint8Array, size: number) => new Uint8Array(inflateSync(bytes, { maxOutputLength: size }));
const open = (path: string) => readElf(bytesOf(path), path);

/** Addresses inside functions: between them lies padding, about which tools only guess. */
function addressesIn(elf: ElfFile, count: number, wanted: (name: string) => boolean = () => true): readonly number[] {
  const functions = readSymbols(elf).filter(
    ({ kind, size, defined, name }) => kind === "function" && defined && size > 8 && wanted(name),
  );
  const random = seedRandom(seed);
  return Array.from({ length: count }, () => {
    const one = functions[below(random, functions.length)];
    return one === undefined ? 0 : one.value + below(random, one.size);
  });
}

interface Tally extends Record<Verdict, number> {
  readonly examples: string[];
}

function compare(symbolizer: Symbolizer, path: string, addresses: readonly number[]): Tally {
  const tally: Tally = {
    same: 0,
    "wrong-first-file": 0,
    "other-name": 0,
    "lost-inlining": 0,
    "no-line": 0,
    different: 0,
    examples: [],
  };
  addr2line(path, addresses).forEach((theirs, index) => {
    const address = addresses[index] as number;
    const ours = asToolFrames(symbolizer.frames(address));
    const verdict = judge(ours, theirs);
    tally[verdict]++;
    const example = `${address.toString(16)}: ${JSON.stringify(ours)} but addr2line ${JSON.stringify(theirs)}`;
    if (verdict === "different" && tally.examples.length < 5) tally.examples.push(example);
  });
  return tally;
}

/** All answers agree, or differ in a way known of addr2line; `share` of them to the letter. */
function expectAgreement(path: string, addresses: readonly number[], share = 0.9, symbolizer = openSymbolizer(path)) {
  const tally = compare(symbolizer, path, addresses);
  expect(tally.examples).toEqual([]);
  expect(symbolizer.problem).toBeUndefined();
  expect(tally.same).toBeGreaterThan(share * addresses.length);
  expect(tally["lost-inlining"] + tally["no-line"]).toBeLessThan(0.02 * addresses.length);
}

/** Two builds of the same code: only the names of their source files differ. */
function expectSameFrames(plain: string, other: string, wanted: (symbol: string) => boolean) {
  const [first, second] = [openSymbolizer(plain), openSymbolizer(other)];
  const addresses = addressesIn(open(plain), 500, wanted);
  const frames = addresses.map((address) => first.frames(address));
  const fileless = (list: readonly Frame[]) =>
    list.map(({ file, ...rest }) => ({ ...rest, hasFile: file !== undefined }));
  expect(addresses.map((address) => fileless(second.frames(address)))).toEqual(frames.map(fileless));
  expect(second.problem).toBeUndefined();
  expect(new Set(frames.map((list) => list.length))).toContain(3);
}

const openSymbolizer = (path: string) => createSymbolizer(open(path), { inflate });

describe.each([
  ["DWARF 5", ["-gdwarf-5"]],
  ["DWARF 4", ["-gdwarf-4"]],
  ["DWARF 3", ["-gdwarf-3"]],
  ["DWARF 2", ["-gdwarf-2"]],
  ["compressed sections", ["-gdwarf-5", "-gz=zlib"]],
])("C with %s", (label, flags) => {
  const name = label.replaceAll(" ", "-");
  test.each(["-O0", "-O2"])("agrees with addr2line at %s", (level) => {
    const path = workshop.compile("gcc", `${name}${level}`, cSubject, [level, ...flags]);
    expectAgreement(
      path,
      addressesIn(open(path), 400, (symbol) => /^(main|push|compare|fail|mix)/.test(symbol)),
    );
  });
});

test.each([
  ["the 64-bit format", ["-gdwarf64"]],
  ["type units", ["-fdebug-types-section"]],
])("%s gives the same frames as a plain build", (label, flags) => {
  const name = label.replaceAll(/\W/g, "-");
  const plain = workshop.compile("gcc", `plain-of-${name}`, cSubject, ["-O2", "-g"]);
  const other = workshop.compile("gcc", name, cSubject, ["-O2", "-g", ...flags]);
  expectSameFrames(plain, other, (symbol) => /^(main|push|compare|fail)/.test(symbol));
});

describe.runIf(isInstalled("g++")).each(["-gdwarf-5", "-gdwarf-4"])("C++ with %s", (version) => {
  const isOurs = (symbol: string) => symbol.startsWith("_Z") || symbol === "main";
  test.each(["-O0", "-O2"])("agrees with addr2line at %s", (level) => {
    const path = workshop.compile("g++", `cpp${version}${level}`, cppSubject, ["-std=c++17", level, version]);
    expectAgreement(path, addressesIn(open(path), 1000, isOurs), 0.7);
  });
});

test.runIf(isInstalled("rustc"))("Rust agrees with addr2line", () => {
  const path = workshop.compile("rustc", "rusty", rustSubject, ["-g", "-O", "--edition=2021"]);
  expectAgreement(
    path,
    addressesIn(open(path), 1000, (symbol) => symbol.includes("rusty")),
  );
});

test.runIf(isInstalled("rustc"))("Rust with DWARF 5, as LLVM writes it, gives the same frames as with DWARF 4", () => {
  const build = (version: number) =>
    workshop.compile("rustc", `rusty${version}`, rustSubject, [
      ...["-g", "-O", "--edition=2021", "--crate-name=rusty", `-Cdwarf-version=${version}`],
    ]);
  expectSameFrames(build(4), build(5), (symbol) => symbol.includes("rusty"));
});

const pmemobj = "/usr/lib/x86_64-linux-gnu/pmdk_dbg/libpmemobj.so.1";
test.runIf(existsSync(pmemobj))("libpmemobj's debug build agrees with addr2line", () => {
  expectAgreement(pmemobj, addressesIn(open(pmemobj), 2000), 0.85);
});

test("inlined calls come innermost first, with the place of each call", () => {
  const path = workshop.compile("gcc", "inlined", cSubject, ["-O2", "-g"]);
  const elf = open(path);
  const symbolizer = createSymbolizer(elf);
  const stacks = addressesIn(elf, 300, (name) => name === "main").map((address) => symbolizer.frames(address));
  const deep = stacks.find((frames) => frames.length === 3);
  expect(deep?.map((frame) => frame.function)).toEqual(["mix", "mix_twice", expect.stringMatching(/^(main|push)$/)]);
  expect(deep?.map((frame) => frame.inlined)).toEqual([true, true, expect.any(Boolean)]);
  const lines = cSubject.split("\n");
  expect(lines[(deep?.[1]?.line ?? 0) - 1]).toContain("mix(");
  expect(lines[(deep?.[2]?.line ?? 0) - 1]).toContain("mix_twice(");
});

test("functions are described with their ranges and place", () => {
  const path = workshop.compile("gcc", "described", cSubject, ["-O2", "-g"]);
  const elf = open(path);
  const main = readSymbols(elf).find(({ name }) => name === "main");
  const found = createSymbolizer(elf).functionAt((main?.value ?? 0) + 5);
  expect(found?.name).toBe("main");
  expect(found?.ranges[0]?.low).toBe(main?.value);
  expect(found?.file).toBe(`${path}.c`);
  expect(cSubject.split("\n")[(found?.line ?? 0) - 1]).toMatch(/^int main/);
});

test.runIf(isInstalled("g++"))("without debug information the symbol tables answer", () => {
  const path = workshop.compile("g++", "plain", cppSubject, ["-std=c++17", "-O1"]);
  const elf = open(path);
  const symbolizer = createSymbolizer(elf);
  const addresses = addressesIn(elf, 300, (symbol) => symbol.startsWith("_Z"));
  const names = addr2line(path, addresses).map((frames) => frames[0]?.function);
  expect(addresses.map((address) => symbolizer.frames(address)[0]?.function)).toEqual(names);
  expect(symbolizer.frames(1)).toEqual([]);
});

test("a stripped program finds its debug file by build id and by link", () => {
  const path = workshop.compile("gcc", "whole", cSubject, ["-O2", "-g"]);
  const debug = `${path}.debug`;
  const stripped = `${path}.stripped`;
  execFileSync("objcopy", ["--only-keep-debug", path, debug]);
  execFileSync("objcopy", ["--strip-all", `--add-gnu-debuglink=${debug}`, path, stripped]);
  const elf = open(stripped);
  const id = readBuildId(elf) as string;
  expect(debugFileCandidates(elf, ["/usr/lib/debug"])).toEqual([
    `/usr/lib/debug/.build-id/${id.slice(0, 2)}/${id.slice(2)}.debug`,
    debug,
    `${workshop.directory}/.debug/whole.debug`,
    `/usr/lib/debug${workshop.directory}/whole.debug`,
  ]);
  const symbolizer = createSymbolizer(elf, { debugFile: readElf(bytesOf(debug), debug, "symbols") });
  const addresses = addressesIn(open(path), 200, (name) => name === "main" || name === "push");
  expectAgreement(path, addresses, 0.9, symbolizer);
});

test("compressed sections without a way to inflate them leave the symbols, and say so", () => {
  const path = workshop.compile("gcc", "squeezed", cSubject, ["-O2", "-g", "-gz=zlib"]);
  const elf = open(path);
  const symbolizer = createSymbolizer(elf);
  const [address] = addressesIn(elf, 1, (name) => name === "main");
  expect(symbolizer.frames(address as number)).toEqual([
    { function: "main", file: undefined, line: undefined, column: undefined, inlined: false },
  ]);
  expect(symbolizer.problem?.code).toBe("elf/compressed-debug-info");
});

test("units missing from .debug_aranges are found by their own ranges", () => {
  const path = workshop.compile("gcc", "listed", cSubject, ["-O2", "-g"]);
  const bare = `${path}.bare`;
  execFileSync("objcopy", ["--remove-section=.debug_aranges", path, bare]);
  expectAgreement(
    bare,
    addressesIn(open(path), 200, (name) => name === "main" || name === "push"),
  );
});

test("columns agree with the decoded line table", () => {
  const path = workshop.compile("gcc", "columns", cSubject, ["-O2", "-g"]);
  const text = readSections(open(path)).find(({ name }) => name === ".text");
  const shown = run("objdump", ["--dwarf=rawline", path]);
  const columns = new Set([...shown.matchAll(/Set column to (\d+)/g)].map(([, column]) => Number(column)));
  const symbolizer = createSymbolizer(open(path));
  const random = seedRandom(seed);
  const seen = Array.from({ length: 300 }, () => (text?.address ?? 0) + below(random, text?.size ?? 0))
    .flatMap((address) => symbolizer.frames(address).slice(0, 1))
    .flatMap(({ column }) => (column === undefined ? [] : [column]));
  expect(seen.length).toBeGreaterThan(100);
  expect(seen.filter((column) => !columns.has(column))).toEqual([]);
});
