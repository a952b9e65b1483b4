/** Which copies of the C library have a persisting one in libpmem and libpmemobj, and how that is called. Each must compile. */
import { execFileSync } from "node:child_process";
import { beforeAll, expect, it } from "vitest";
import {
  applyInsertions,
  type LibraryCopies,
  libraryCopy,
  repeatableCalls,
  type Syntax,
} from "../../src/program/source/index.ts";
import { openTestSyntax } from "./syntax.ts";

let syntax: Syntax;
beforeAll(async () => {
  syntax = await openTestSyntax();
});

const head = `#include <libpmem.h>
#include <libpmemobj.h>
#include <stdio.h>
#include <string.h>
struct s { char text[64]; };
const char *next(void);
struct s *taken(void);
`;
const libpmem: LibraryCopies = { library: "libpmem" };
const libpmemobj: LibraryCopies = { library: "libpmemobj", pool: () => "pop" };

/** The statement with the library's copy in its place; undefined where there is none. */
function copied(statement: string, copies: LibraryCopies, strength: "durable" | "flushed" = "durable") {
  const source = `${head}void f(PMEMobjpool *pop, struct s *p, char *any, const char *from, size_t n) { ${statement} (void)pop, (void)p, (void)any, (void)from, (void)n; }\n`;
  const root = syntax.parse(source, "c").rootNode;
  const [call] = root.descendantsOfType("call_expression");
  const copy = libraryCopy(call!, copies, strength, repeatableCalls([root]));
  if (copy === undefined) return undefined;
  const { startIndex, endIndex } = copy.node;
  const after = applyInsertions(source, [{ offset: startIndex, text: copy.text, instead: endIndex - startIndex }]);
  execFileSync("gcc", ["-xc", "-fsyntax-only", "-Wall", "-Werror", "-"], { input: after, stdio: "pipe" });
  return { text: copy.text, isAnyMemory: copy.isAnyMemory };
}

it.each([
  [
    "memcpy(p->text, from, n);",
    "pmem_memcpy_persist(p->text, from, n)",
    "pmemobj_memcpy_persist(pop, p->text, from, n)",
  ],
  ["memmove(p->text, from, n);", "pmem_memmove_persist(p->text, from, n)", "pmemobj_memmove(pop, p->text, from, n, 0)"],
  ["memset(p, 0, sizeof *p);", "pmem_memset_persist(p, 0, sizeof *p)", "pmemobj_memset_persist(pop, p, 0, sizeof *p)"],
  [
    "strcpy(p->text, from);",
    "pmem_memcpy_persist(p->text, from, strlen(from) + 1)",
    "pmemobj_memcpy_persist(pop, p->text, from, strlen(from) + 1)",
  ],
])("%s", (statement, pmem, pmemobj) => {
  expect(copied(statement, libpmem)?.text).toBe(pmem);
  expect(copied(statement, libpmemobj)?.text).toBe(pmemobj);
});

it("may leave the fence to somebody else", () => {
  expect(copied("memcpy(p->text, from, n);", libpmem, "flushed")?.text).toBe("pmem_memcpy_nodrain(p->text, from, n)");
  expect(copied("memset(p, 0, n);", libpmemobj, "flushed")?.text).toBe(
    "pmemobj_memset(pop, p, 0, n, PMEMOBJ_F_MEM_NODRAIN)",
  );
});

it("evaluates nothing twice that does something", () => {
  expect(copied("strcpy(p->text, next());", libpmem)).toBeUndefined();
  expect(copied("memcpy(taken(), from, n);", libpmemobj)).toBeUndefined();
  expect(copied("memcpy(taken(), from, n);", libpmem)?.text).toBe("pmem_memcpy_persist(taken(), from, n)");
});

it("tells where any memory may come as a parameter", () => {
  const isAnyMemory = (statement: string) => copied(statement, libpmem)?.isAnyMemory;
  expect(isAnyMemory("memcpy(any, from, n);")).toBe(true);
  expect(isAnyMemory("memset((void *)any, 0, n);")).toBe(true);
  expect(isAnyMemory("memcpy(p->text, from, n);")).toBe(false);
});

it.each(['snprintf(p->text, n, "%s", from);', "strncpy(p->text, from, 3);", "strcat(p->text, from);"])(
  "no library has one for %s",
  (statement) => {
    expect(copied(statement, libpmem)).toBeUndefined();
  },
);
