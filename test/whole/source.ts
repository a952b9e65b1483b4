/** Programs as one C source: `whole N PREFIX` runs the one of that number, `whole N PREFIX check` is its recovery. */
import type { Program, Rule, Step, Term } from "./program.ts";

const head = `#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct pool { volatile uint64_t line[3][8]; };
static struct pool *pool[2];
static int file[2], side;
static const char *prefix;

static const char *name(int n, const char *ending) {
  static char text[2][200];
  snprintf(text[n], sizeof text[n], "%s.%d%s", prefix, n, ending);
  return text[n];
}
static void persist(const volatile void *p) { _mm_clwb((void *)p); _mm_sfence(); }
static void persist_range(const volatile void *p, size_t n) {
  for (uintptr_t at = (uintptr_t)p & ~63ul; at < (uintptr_t)p + n; at += 64) _mm_clflushopt((void *)at);
  _mm_sfence();
}
#define PERSIST(x) (_mm_clwb((void *)&(x)), _mm_sfence())
static void make(int n, const char *ending) {
  file[n] = open(name(n, ending), O_RDWR | O_CREAT, 0600);
  if (file[n] < 0 || ftruncate(file[n], 4096)) exit(9);
}
static void map(int n) { pool[n] = mmap(pool[n], 4096, PROT_READ | PROT_WRITE, MAP_SHARED | (pool[n] ? MAP_FIXED : 0), file[n], 0); }
static void publish(int n) {
  char old[200];
  strcpy(old, name(n, ".new"));
  if (rename(old, name(n, ""))) exit(9);
}
static void acknowledge(void) { if (write(1, "done\\n", 5) != 5) exit(9); }
static void note(uint64_t value) { if (pwrite(side, &value, 8, 0) != 8) exit(9); }
/* What recovery knows. */
static struct pool found[2];
static uint64_t acknowledged, noted;
static void look(void) {
  for (int n = 0; n < 2; n++) {
    int fd = open(name(n, ""), O_RDONLY);
    void *at = fd < 0 ? MAP_FAILED : mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0);
    if (at != MAP_FAILED) pool[n] = at;
    else pool[n] = &found[n];
  }
  int fd = open(prefix, O_RDONLY);
  if (fd >= 0 && read(fd, &noted, 8) != 8) noted = 0;
  char text[200];
  fd = open(getenv("BLACKOUT_ACKED"), O_RDONLY);
  for (long i = fd < 0 ? 0 : read(fd, text, sizeof text); i > 0; i--) acknowledged += text[i - 1] == '\\n';
}
static int ahead(int rule, uint64_t left, uint64_t right) {
  if (left > right) fprintf(stderr, "rule %d: %lu is ahead of %lu\\n", rule, left, right);
  return left > right;
}
`;

export interface Written {
  readonly text: string;
  /** Of each program, the lines that its steps are on. */
  readonly lines: readonly (readonly number[])[];
}

export function sourceOf(programs: readonly Program[]): Written {
  const text = head.split("\n").slice(0, -1);
  const lines = programs.map((program, number) => {
    text.push(`static void run${number}(void) {`);
    text.push(...program.renamed.map((is, pool) => `  make(${pool}, "${is ? ".new" : ""}");`));
    const at = program.steps.map((step) => text.push(`  ${statement(program, step)}`));
    text.push("}", `static int check${number}(void) {`);
    text.push(`  return ${program.rules.map((rule, index) => ruleText(program, rule, index)).join(" || ")};`, "}");
    return at;
  });
  const table = (kind: string) => programs.map((_, number) => `${kind}${number}`).join(", ");
  text.push(
    `static void (*const runs[])(void) = { ${table("run")} };`,
    `static int (*const checks[])(void) = { ${table("check")} };`,
    "int main(int argc, char **argv) {",
    "  prefix = argv[2];",
    "  if (argc > 3) { look(); return checks[atoi(argv[1])](); }",
    "  side = open(prefix, O_RDWR | O_CREAT, 0600);",
    "  runs[atoi(argv[1])]();",
    "  return 0;",
    "}",
  );
  return { text: `${text.join("\n")}\n`, lines };
}

const place = ({ words }: Program, word: number): string => {
  const { pool, line, slot } = words[word]!;
  return `pool[${pool}]->line[${line}][${slot}]`;
};

const calls = { function: "persist(&@)", macro: "PERSIST(@)", range: "persist_range(&@, sizeof @)" } as const;

const statements: { readonly [Kind in Step["kind"]]: (program: Program, step: Step & { kind: Kind }) => string } = {
  store: (program, { word, value }) => `${place(program, word)} = ${value};`,
  flush: (program, { word, op }) => `_mm_${op}((void *)&${place(program, word)});`,
  fence: () => "_mm_sfence();",
  persist: (program, { word, how }) => `${calls[how].replaceAll("@", place(program, word))};`,
  acknowledge: () => "acknowledge();",
  side: (_program, { value }) => `note(${value});`,
  rename: (_program, { pool }) => `publish(${pool});`,
  map: (_program, { pool }) => `map(${pool});`,
};

const statement = (program: Program, step: Step): string =>
  (statements[step.kind] as (program: Program, step: Step) => string)(program, step);

function ruleText(program: Program, { left, right }: Rule, index: number): string {
  const text = (term: Term) =>
    term === "acknowledged" ? "acknowledged" : term === "side" ? "noted" : place(program, term.word);
  return `ahead(${index}, ${text(left)}, ${text(right)})`;
}
