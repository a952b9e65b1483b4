/** Ways to the parts of types, compared with gdb's own description; and types of several files made one. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createTypeReader, fieldPath, readElf, spellPath, type TypeId } from "../../src/program/elf/index.ts";
import { TypeTable } from "../../src/program/symbols/index.ts";
import { bytesOf, isInstalled, openWorkshop } from "./compile.ts";
import { cSubject, rustSubject } from "./subjects.ts";
import { cppVariables, cVariables } from "./variable-subjects.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());
const open = (path: string) => createTypeReader(readElf(bytesOf(path), path));

let builtCpp: string | undefined;
/** Compiling C++ takes seconds: once is enough. */
function cppProgram(): string {
  builtCpp ??= workshop.compile("g++", "cpp", cppVariables, ["-O1", "-g"]);
  return builtCpp;
}

interface Layout {
  readonly name: string;
  readonly size: number;
  readonly parts: readonly { readonly path: string; readonly offset: number; readonly size: number }[];
}

function layoutsOfGdb(program: string, names: readonly string[]): readonly Layout[] {
  const script = join(import.meta.dirname, "gdb-layouts.py");
  const args = ["-nx", "-batch", "-ex", `set $names = "${names.join("|")}"`, "-ex", `source ${script}`, program];
  const output = execFileSync("gdb", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  return JSON.parse(output.slice(output.indexOf("LAYOUTS") + "LAYOUTS".length));
}

describe.runIf(isInstalled("gdb")).each([
  ["gcc", cSubject, ["-O1", "-gdwarf-5"], ["struct node", "list_t", "struct nested", "struct point"]],
  ["gcc", cVariables, ["-O2", "-gdwarf-4"], ["struct store", "struct node", "struct pair"]],
  ["g++", cppVariables, ["-O1", "-g"], ["shop::Shelf", "shop::Item", "std::string"]],
])("%s", (compiler, source, flags, names) => {
  test(`${names.join(", ")}: every part is where gdb says`, () => {
    const program =
      compiler === "g++"
        ? cppProgram()
        : workshop.compile(compiler, `layouts-${compiler}${flags.join("")}`, source, flags);
    const types = open(program);
    for (const { name, size, parts } of layoutsOfGdb(program, names)) {
      const id = types.find(name.replace(/^struct /, "")) as TypeId;
      expect([name, types.sizeOf(id)]).toEqual([name, size]);
      expect(parts.length).toBeGreaterThan(0);
      for (const part of parts) {
        // Of a union's members that share a place, any will do.
        const same = parts
          .filter((one) => one.offset === part.offset && one.size === part.size)
          .map(({ path }) => path);
        expect(same).toContain(spellPath(fieldPath(types, id, part.offset, part.size)));
      }
    }
    expect(types.problem).toBeUndefined();
  });
});

test("a range over several fields ends at what holds them, and indices can be erased", () => {
  const types = open(workshop.compile("gcc", "ranges", cVariables, ["-O1", "-g"]));
  const store = types.find("store") as TypeId;
  const at = (offset: number, size: number, indices?: "erased") =>
    spellPath(fieldPath(types, store, offset, size), indices);
  expect(at(0, 8)).toBe("count");
  expect(at(16 + 3 * 16 + 8, 8)).toBe("pairs[3].second");
  expect(at(16 + 3 * 16 + 8, 8, "erased")).toBe("pairs[].second");
  expect(at(16 + 3 * 16 + 10, 2)).toBe("pairs[3].second");
  expect(at(16 + 3 * 16, 16)).toBe("pairs[3]");
  expect(at(16 + 3 * 16 + 8, 16)).toBe("pairs");
  expect(at(0, 16)).toBe("");
  expect(at(4000, 8)).toBe("");
});

describe("canonical types", () => {
  const other = `
    struct node { struct node *next; unsigned long key; char tag[6]; unsigned flags : 3, kind : 5; };
    typedef struct { int x; struct node nodes[2]; } box;
    box keep; struct node *first(box *b) { return b->nodes; } int main(void) { return first(&keep) == 0; }`;
  const table = new TypeTable();
  const number = (types: ReturnType<typeof open>, name: string) =>
    table.canonical(types, types.find(name))?.number ?? name;

  test("of one name and layout are one in all files, at any level of optimisation", () => {
    const files = [
      open(workshop.compile("gcc", "first", cVariables, ["-O0", "-gdwarf-5"])),
      open(workshop.compile("gcc", "second", cVariables, ["-O2", "-gdwarf-4"])),
      open(workshop.compile("gcc", "third", other, ["-O1", "-g"])),
    ];
    const [first, second, third] = files.map((types) => number(types, "node"));
    expect(second).toBe(first);
    expect(third).toBe(first);
    expect(number(files[1]!, "store")).toBe(number(files[0]!, "store"));
    expect(number(files[0]!, "pair")).not.toBe(number(files[0]!, "store"));
  });

  test("differ when a field moved, and a typedef names what has no name", () => {
    const moved = open(workshop.compile("gcc", "moved", other.replace("key;", "pad, key;"), ["-O1", "-g"]));
    const plain = open(workshop.compile("gcc", "plain", other, ["-O1", "-g"]));
    expect(number(moved, "node")).not.toBe(number(plain, "node"));
    expect(table.canonical(plain, plain.find("box"))).toMatchObject({ kind: "struct", name: "box", size: 56 });
  });

  test.runIf(isInstalled("g++"))("have their namespaces", () => {
    const types = open(cppProgram());
    expect(table.canonical(types, types.find("shop::Shelf"))?.name).toBe("shop::Shelf");
  });

  test.runIf(isInstalled("rustc"))("of Rust are read as well", () => {
    const types = open(workshop.compile("rustc", "rusty", rustSubject, ["-g", "--edition=2021"]));
    const square = types.find("rusty::Square") as TypeId;
    expect(table.canonical(types, square)).toMatchObject({ kind: "struct", name: "rusty::Square", size: 8 });
    expect(spellPath(fieldPath(types, square, 0, 8))).toBe("__0");
  });
});
