/** Which functions and macros of a program make things durable, and how a patch then says it. */
import { beforeAll, expect, it } from "vitest";
import { helpersIn, idiomAt, idiomOf, type Syntax } from "../../src/program/source/index.ts";
import { openTestSyntax } from "./syntax.ts";

let syntax: Syntax;
beforeAll(async () => {
  syntax = await openTestSyntax();
});

const helpers = (...texts: readonly string[]) => helpersIn(texts.map((text) => syntax.parse(text, "c").rootNode));
const range = { address: "&p->a", size: "sizeof(p->a)" };

const header = `
#define clwb(p) __asm__ volatile("clwb %0" : "+m"(*(volatile char *)(p)))
#define sfence() __asm__ volatile("sfence" ::: "memory")
`;
const own = `
static inline void persist(const void *a, size_t n) { flush(a, n); fence(); }
static inline void flush(const void *a, size_t n) {
  for (uintptr_t at = (uintptr_t)a & ~63ul; at < (uintptr_t)a + n; at += 64) clwb(at);
}
static inline void fence(void) { sfence(); }
static void work(struct s *p) { p->a = 1; persist(&p->a, 4); }
`;

it("are found through each other, in any order and over files", () => {
  const found = helpers(own, header);
  expect(found.map(({ name, parameters, flushes, fences }) => [name, parameters, flushes, fences])).toEqual([
    ["clwb", 1, true, false],
    ["sfence", 0, false, true],
    ["flush", 2, true, false],
    ["fence", 0, false, true],
    ["persist", 2, true, true],
  ]);
  const idiom = idiomOf(found, own);
  expect(idiom.persist!(range)).toEqual(["persist(&p->a, sizeof(p->a));"]);
  expect(idiom.flush!(range)).toEqual(["flush(&p->a, sizeof(p->a));"]);
  expect(idiom.fence).toEqual(["fence();"]);
});

it("are none that do more: a patch must not do that again", () => {
  const more = `
static uint64_t line_of(const void *a) { return (uintptr_t)a & ~63ul; }
static void one(const void *a) { clwb((const void *)line_of(a)); }
static void step(struct s *p) { p->steps++; persist(&p->steps, 8); }
static void tell(const void *a, size_t n) { persist(a, n); printf("done\\n"); }
static void put(const char *key, const char *value) { update(key, value); persist(key, 8); }
static void update(const char *key, const char *value) { strcpy(find(key), value); persist(key, 8); }
int main(int argc, char **argv) { work(map(argv[1])); persist(pool, argc); }
`;
  const found = new Set(helpers(own, header, more).map(({ name }) => name));
  expect(found).toEqual(new Set(["clwb", "fence", "flush", "one", "persist", "sfence"]));
});

it("with libpmem alone are libpmem's", () => {
  const idiom = idiomOf([], "#include <libpmem.h>\n");
  expect([idiom.persist!(range), idiom.flush!(range), idiom.fence]).toEqual([
    ["pmem_persist(&p->a, sizeof(p->a));"],
    ["pmem_flush(&p->a, sizeof(p->a));"],
    ["pmem_drain();"],
  ]);
});

it("with libpmemobj take the pool that is at hand, or find it", () => {
  const source = `#include <libpmemobj.h>
static PMEMobjpool *all;
void f(PMEMobjpool *pop, struct s *p) { p->a = 1; }
void g(struct s *p) { PMEMobjpool *own = find(p); p->a = 1; }
void h(struct s *p) { p->a = 1; }
`;
  const said = (text: string) => {
    const root = syntax.parse(text, "c").rootNode;
    return root.descendantsOfType("assignment_expression").map((node) => idiomAt(node!, [], text).persist!(range)?.[0]);
  };
  expect(said(source)).toEqual(["pop", "own", "all"].map((pool) => `pmemobj_persist(${pool}, &p->a, sizeof(p->a));`));
  expect(said(source.replace("static PMEMobjpool *all;", "")).at(-1)).toBe(
    "pmemobj_persist(pmemobj_pool_by_ptr(&p->a), &p->a, sizeof(p->a));",
  );
});

it("of a header that the program's own header includes", () => {
  const idiom = idiomOf([], "", ["#include <libpmem.h>\n"]);
  expect(idiom.fence).toEqual(["pmem_drain();"]);
});

it("that take a line are used for what lies on one", () => {
  const found = helpers(header);
  expect(idiomOf(found, "").persist).toBeUndefined();
  expect(idiomOf(found, "", [], { withinLine: true }).persist!(range)).toEqual(["clwb(&p->a);", "sfence();"]);
});

it("may be none", () => {
  expect(idiomOf(helpers("int main(void) { return 0; }"), "")).toEqual({
    flush: undefined,
    fence: undefined,
    persist: undefined,
  });
});

const inCpp = (text: string, header: string) => {
  const trees = [text, header].map((one) => syntax.parse(one, "cpp").rootNode);
  const [node] = trees[0]!.descendantsOfType("assignment_expression");
  return idiomAt(node!, helpersIn(trees), text, [header], { withinLine: true }).persist!({
    address: "&r->data",
    size: "sizeof(r->data)",
  });
};

it("cast where the language needs it: to what a function takes, and from what is volatile in C++", () => {
  const volatile = "struct rec { volatile int data; }; void work(rec *r) { r->data = 1; }";
  const plain = volatile.replace("volatile ", "");
  const taking = (type: string) => `static void persist(${type} *p) { _mm_clwb((void *)p); _mm_sfence(); }`;
  expect(inCpp(volatile, taking("void"))).toEqual(["persist((void *)&r->data);"]);
  expect(inCpp(volatile, taking("volatile void"))).toEqual(["persist(&r->data);"]);
  expect(inCpp(plain, taking("const void"))).toEqual(["persist(&r->data);"]);
  expect(inCpp(plain, taking("char"))).toEqual(["persist((char *)&r->data);"]);
  expect(inCpp(plain, `template <class T> ${taking("T")}`)).toEqual(["persist(&r->data);"]);
  expect(inCpp(plain, `template <class T> ${taking("T").replace("T *", "T &")}`)).toEqual(["persist(r->data);"]);
});

it("take the object where a macro takes its address itself", () => {
  const found = helpers("#define P(x) (_mm_clwb((void *)&(x)), _mm_sfence())");
  const idiom = idiomOf(found, "P(r->flag);", [], { withinLine: true });
  expect(idiom.persist!(range)).toEqual(["P(p->a);"]);
  expect(idiom.persist!({ address: "p + 1", size: "8" })).toEqual(["P(*(p + 1));"]);
});

it("are not what the preprocessor may have left out, unless it is called in any case", () => {
  const called = "int main() { persist(p, 8); }\n";
  const either = (then: string, otherwise = "") => `#ifdef RANGED\n${then}\n#else\n${otherwise}\n#endif\n`;
  const names = (...texts: readonly string[]) => helpers(...texts).map(({ name }) => name);
  const ranged = "static void persist(const void *p, size_t n) { pmem_persist(p, n); }";
  const line = "static void persist(const void *p) { pmem_persist(p, 64); }";
  expect(names(either(ranged))).toEqual([]);
  expect(names(either(ranged), called)).toEqual(["persist"]);
  expect(names(either(ranged, ranged))).toEqual(["persist"]);
  expect(names(either(ranged, line), called)).toEqual([]);
  expect(names(`#ifndef H\n#define H\n${ranged}\n#endif\n`)).toEqual(["persist"]);
});

it("of bare instructions are a loop over the lines where a range may have several", () => {
  const source = "_mm_clwb(p); _mm_sfence();";
  expect(idiomOf([], source, [], { withinLine: true }).persist!(range)).toEqual(["_mm_clwb(&p->a);", "_mm_sfence();"]);
  expect(idiomOf([], source).persist!({ address: "line->text", size: "a ? 1 : 2" })).toEqual([
    "for (unsigned long cache_line = (unsigned long)line->text & ~63ul; cache_line < (unsigned long)line->text + (a ? 1 : 2); cache_line += 64) _mm_clwb((void *)cache_line);",
    "_mm_sfence();",
  ]);
});
