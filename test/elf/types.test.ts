import { afterAll, describe, expect, test } from "vitest";
import { createTypeReader, readElf, type TypeId } from "../../src/program/elf/index.ts";
import { bytesOf, isInstalled, openWorkshop, run } from "./compile.ts";
import { cppSubject, cSubject, layoutProbe } from "./subjects.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());
const open = (path: string) => createTypeReader(readElf(bytesOf(path), path));

describe.each(["-gdwarf-5", "-gdwarf-4", "-gdwarf-2"])("layouts with %s", (version) => {
  const path = workshop.compile("gcc", `layout${version}`, layoutProbe, [
    "-O1",
    version,
    "-fno-eliminate-unused-debug-types",
  ]);
  const types = open(path);
  const rows = run(path, []).trim().split("\n");
  const find = (name: string) => types.find(name.replace(/^(struct|union|enum) /, "")) as TypeId;

  test("sizes and members are where the compiler put them", () => {
    expect(rows.length).toBe(21);
    for (const row of rows) {
      const [, type, member, number] = /^(.+) (\S+) (\d+)$/.exec(row) as RegExpExecArray;
      const id = find(type as string);
      if (member === "sizeof") expect([type, types.sizeOf(id)]).toEqual([type, Number(number)]);
      else expect([type, types.memberAt(id, Number(number))]).toEqual([type, member?.replace(".parts.low", ".whole")]);
    }
    expect(types.problem).toBeUndefined();
  });

  test("bit fields, enumerators, pointers and padding", () => {
    const node = types.describe(find("node"));
    const members = node?.kind === "struct" ? node.members : [];
    expect(members.map(({ name, offset, bits }) => ({ name, offset, bits }))).toEqual([
      { name: "next", offset: 0, bits: undefined },
      { name: "key", offset: 8, bits: undefined },
      { name: "tag", offset: 16, bits: undefined },
      { name: "flags", offset: expect.any(Number), bits: { first: expect.any(Number), width: 3 } },
      { name: "kind", offset: expect.any(Number), bits: { first: expect.any(Number), width: 5 } },
    ]);
    const firstBits = members.slice(3).map(({ offset, bits }) => offset * 8 + (bits?.first ?? 0));
    expect(firstBits).toEqual([22 * 8, 22 * 8 + 3]);
    expect(types.describe(find("color"))).toMatchObject({
      kind: "enum",
      values: [
        { name: "red", value: 0 },
        { name: "green", value: 7 },
        { name: "blue", value: -2 },
      ],
    });
    expect(members.map(({ type }) => types.spell(type))).toEqual([
      "node *",
      "long unsigned int",
      "char [6]",
      "unsigned int",
      "unsigned int",
    ]);
    expect(types.memberAt(find("nested"), 7)).toBeUndefined();
    expect(types.memberAt(find("node"), 4000)).toBeUndefined();
  });
});

test.runIf(isInstalled("g++"))(
  "names are found in namespaces, bases are looked through, declarations passed over",
  () => {
    const path = workshop.compile("g++", "classes", cppSubject, ["-std=c++17", "-O1", "-g"]);
    const types = open(path);
    const apple = types.find("shop::Apple") as TypeId;
    expect(types.describe(apple)).toMatchObject({ kind: "struct", name: "Apple" });
    expect(types.memberAt(apple, 8)).toBe("weight");
    expect(types.memberAt(apple, 16)).toMatch(/^label\./);
    expect(types.sizeOf(types.find("shop::Size"))).toBe(1);
    expect(types.sizeOf(types.find("shop::Ring<int, 4>"))).toBe(20);
    expect(types.find("shop::Nothing")).toBeUndefined();
  },
);

test("a program without debug information has no types", () => {
  const types = open(workshop.compile("gcc", "bare", cSubject));
  expect(types.find("node")).toBeUndefined();
  expect(types.problem).toBeUndefined();
});
