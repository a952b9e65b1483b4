import { execFileSync } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import { InputError } from "../../src/base/index.ts";
import {
  readBuildId,
  readDebugLink,
  readDynamic,
  readElf,
  readNotes,
  readSections,
  readSymbols,
  segmentFlags,
  segmentTypes,
} from "../../src/program/elf/index.ts";
import { bytesOf, openWorkshop, run } from "./compile.ts";
import { type MinimalOptions, minimalElf } from "./minimal.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());

const program = `
#include <stdio.h>
__thread int per_thread = 7;
int shared_counter;
static int twice(int x) { return x * 2; }
int main(void) { printf("%d %d\\n", twice(per_thread), shared_counter); return 0; }
`;

function problem(bytes: Uint8Array): InputError {
  try {
    readElf(bytes, "prog");
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error("the file was accepted");
}

const text = (content: string) => new TextEncoder().encode(content);

describe("what is refused", () => {
  const huge = 2n ** 64n - 1n;
  const twoLoads = (vaddr: bigint): MinimalOptions => ({ loads: [{}, { vaddr, filesz: 0n, memsz: 64n }] });
  const cases: readonly (readonly [string, Uint8Array, string, RegExp])[] = [
    ["an empty file", new Uint8Array(), "elf/empty", /is empty/],
    ["a script", text("#!/bin/sh -e\necho\n"), "elf/script", /script for \/bin\/sh,.*run its interpreter/],
    ["a script with a blank first line", text("#!\n"), "elf/script", /script for an interpreter/],
    ["plain text", text("hello, world, this is text"), "elf/not-elf", /not an ELF program/],
    ["a one-byte file", text("h"), "elf/not-elf", /not an ELF/],
    ["half the magic", minimalElf().slice(0, 2), "elf/truncated", /truncated/],
    ["half a header", minimalElf().slice(0, 40), "elf/truncated", /ELF header ends at byte 64.*40 bytes/],
    ["half a program header table", minimalElf().slice(0, 100), "elf/truncated", /program header table/],
    ["a segment cut short", minimalElf().slice(0, -1), "elf/truncated", /segment 0/],
    ["a 32-bit program", minimalElf({ fileClass: 1, machine: 3 }), "elf/32-bit", /-m64/],
    ["an x32 program", minimalElf({ fileClass: 1 }), "elf/32-bit", /-m64/],
    ["a big-endian program", minimalElf({ encoding: 2, machine: 21 }), "elf/big-endian", /64-bit PowerPC/],
    ["an ARM program", minimalElf({ machine: 40, fileClass: 1 }), "elf/wrong-machine", /32-bit ARM/],
    ["an AArch64 program", minimalElf({ machine: 183 }), "elf/wrong-machine", /AArch64/],
    ["an unknown machine", minimalElf({ machine: 999 }), "elf/wrong-machine", /machine 999/],
    ["an object file", minimalElf({ type: 1 }), "elf/wrong-type", /object file; link it/],
    ["a core dump", minimalElf({ type: 4 }), "elf/wrong-type", /core dump/],
    ["an unknown type", minimalElf({ type: 77 }), "elf/wrong-type", /type 77/],
    ["no segments", minimalElf({ phnum: 0 }), "elf/nothing-to-load", /no loadable segment/],
    ["too many segments", minimalElf({ phnum: 0xffff }), "elf/bad-header", /65535 program headers/],
    ["a wrong entry size", minimalElf({ phentsize: 32 }), "elf/bad-header", /32 bytes instead of 56/],
    ["an absurd table offset", minimalElf({ phoff: huge }), "elf/bad-header", /absurd/],
    ["a table outside the file", minimalElf({ phoff: 10_000n }), "elf/truncated", /program header table/],
    ["an address overflow", minimalElf({ loads: [{ vaddr: huge - 4095n }] }), "elf/bad-segment", /user address/],
    ["an absurd size", minimalElf({ loads: [{ memsz: huge }] }), "elf/bad-segment", /user address/],
    ["a file size beyond memory", minimalElf({ loads: [{ memsz: 8n }] }), "elf/bad-segment", /larger in the file/],
    ["an absurd file offset", minimalElf({ loads: [{ offset: huge - 4095n }] }), "elf/bad-segment", /absurd/],
    ["an odd alignment", minimalElf({ loads: [{ align: 3n }] }), "elf/bad-segment", /power of two/],
    ["an unmappable offset", minimalElf({ loads: [{ vaddr: 0x400001n }] }), "elf/bad-segment", /modulo the page/],
    ["overlapping segments", minimalElf(twoLoads(0x400010n)), "elf/overlapping-segments", /segments 0 and 1/],
    ["a nameless interpreter", minimalElf({ loads: [{}, { type: 3, filesz: 1n }] }), "elf/bad-interpreter", /1 bytes/],
    ["an unterminated interpreter", minimalElf({ loads: [{}, { type: 3 }] }), "elf/bad-interpreter", /NUL/],
  ];
  test.each(cases)("%s", (_name, bytes, code, sentence) => {
    const error = problem(bytes);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(sentence);
    expect(error.message).toMatch(/^prog .*\.$/);
  });
});

test("the minimal program is read as written", () => {
  const elf = readElf(minimalElf(), "prog");
  expect(elf).toMatchObject({ type: "executable", entry: 0x400078, phdrAddress: 0x400040, phnum: 1, phentsize: 56 });
  expect(elf.segments).toEqual([
    { type: 1, flags: 5, offset: 0, vaddr: 0x400000, filesz: 129, memsz: 129, align: 4096 },
  ]);
  expect(elf.interpreter).toBeUndefined();
  expect(readSections(elf)).toEqual([]);
  expect(readDynamic(elf)).toBeUndefined();
});

describe("a compiled dynamic program", () => {
  const path = workshop.compile("gcc", "dynamic", program, [
    "-g",
    "-Wl,-rpath,$ORIGIN/lib:/opt/lib",
    "-Wl,--build-id=0x00ff10",
  ]);
  const elf = readElf(bytesOf(path), path);

  test("segments and entry agree with readelf", () => {
    const shown = run("readelf", ["-lW", path]);
    const rows = [...shown.matchAll(/^ {2}(LOAD|TLS|DYNAMIC) +(0x\w+) (0x\w+) 0x\w+ (0x\w+) (0x\w+) (.{3}) (0x\w+)/gm)];
    const types = { LOAD: segmentTypes.load, TLS: segmentTypes.tls, DYNAMIC: segmentTypes.dynamic };
    const expected = rows.map(([, type, offset, vaddr, filesz, memsz, flags, align]) => ({
      type: types[type as keyof typeof types],
      flags:
        (flags?.includes("R") ? segmentFlags.read : 0) +
        (flags?.includes("W") ? segmentFlags.write : 0) +
        (flags?.includes("E") ? segmentFlags.execute : 0),
      ...Object.fromEntries(Object.entries({ offset, vaddr, filesz, memsz, align }).map(([k, v]) => [k, Number(v)])),
    }));
    expect(expected.length).toBeGreaterThan(4);
    expect(elf.segments.filter(({ type }) => [1, 2, 7].includes(type))).toEqual(expected);
    expect(elf.entry).toBe(Number(/Entry point (0x\w+)/.exec(shown)?.[1]));
  });

  test("what the loader asks for", () => {
    expect(elf.type).toBe("dynamic");
    expect(elf.interpreter).toBe("/lib64/ld-linux-x86-64.so.2");
    expect(elf.tls).toMatchObject({ filesz: 4, memsz: 4 });
    expect(elf.executableStack).toBe(false);
    expect(elf.phdrAddress).toBe(64);
    const dynamic = readDynamic(elf);
    expect(dynamic?.needed).toEqual(["libc.so.6"]);
    expect(dynamic?.runpath).toEqual(["$ORIGIN/lib", "/opt/lib"]);
  });

  test("symbols agree with readelf", () => {
    const shown = run("readelf", ["-sW", path]);
    const rows = [...shown.matchAll(/^ +\d+: (\w+) +(\d+) (FUNC|OBJECT|TLS) +(\w+) +\w+ +(\w+) ([^@\s]+)/gm)];
    const expected = rows.map(([, value, size, , , , name]) => `${name} ${Number.parseInt(value ?? "", 16)} ${size}`);
    const found = readSymbols(elf).filter(({ kind }) => ["function", "object", "tls"].includes(kind));
    const plain = found.map(({ name, value, size }) => `${name.replace(/@.*/, "")} ${value} ${size}`);
    const inOrder = (list: readonly string[]) => [...list].sort((a, b) => (a < b ? -1 : 1));
    expect(expected).toContainEqual(expect.stringMatching(/^twice /));
    expect(inOrder(plain)).toEqual(inOrder(expected));
  });

  test("build id and notes", () => {
    expect(readBuildId(elf)).toBe("00ff10");
    expect(readNotes(elf).map(({ owner }) => owner)).toContain("GNU");
  });

  test("a separate debug file is named and can be read for its symbols", () => {
    const debug = `${path}.debug`;
    const stripped = `${path}.stripped`;
    execFileSync("objcopy", ["--only-keep-debug", path, debug]);
    execFileSync("objcopy", ["--strip-all", `--add-gnu-debuglink=${debug}`, path, stripped], { stdio: "ignore" });
    expect(readDebugLink(readElf(bytesOf(stripped), stripped))?.file).toBe("dynamic.debug");
    const names = readSymbols(readElf(bytesOf(debug), debug, "symbols")).map(({ name }) => name);
    expect(names).toContain("twice");
  });

  test("garbage in the section table hinders only its readers", () => {
    const garbled = bytesOf(path);
    new DataView(garbled.buffer).setBigUint64(40, BigInt(garbled.length - 32), true);
    const loaded = readElf(garbled, "prog");
    expect(readDynamic(loaded)?.needed).toEqual(["libc.so.6"]);
    expect(() => readSections(loaded)).toThrow(InputError);
    expect(() => readSymbols(loaded)).toThrow(/corrupted section table/);
    expect(readBuildId(loaded)).toBe("00ff10");
  });
});

test("static, static-PIE, executable-stack and library files", () => {
  const still = readElf(bytesOf(workshop.compile("gcc", "static", program, ["-static"])), "static");
  expect(still).toMatchObject({ type: "executable", interpreter: undefined });
  const pie = readElf(bytesOf(workshop.compile("gcc", "pie", program, ["-static-pie"])), "pie");
  expect(pie).toMatchObject({ type: "dynamic", interpreter: undefined });
  const stack = readElf(bytesOf(workshop.compile("gcc", "stack", program, ["-z", "execstack"])), "stack");
  expect(stack.executableStack).toBe(true);
  const flags = ["-shared", "-fPIC", "-Wl,-soname,libx.so.3"];
  const library = readElf(bytesOf(workshop.compile("gcc", "library", "int f(void){return 1;}", flags)), "library");
  expect(readDynamic(library)?.soname).toBe("libx.so.3");
});
