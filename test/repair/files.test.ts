/** A fix that goes through functions of several files: copies stand where their originals do, and are declared where they are called. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { fixText } from "../../src/engines/index.ts";
import { pool } from "../check/guests.ts";
import { subjectOf } from "../support/subject.ts";
import { errorsOf, mended } from "./mending.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

const words = `#include <stddef.h>
static inline void flush(const void *p, size_t n) { (void)n; __asm__ volatile("clwb %0" : "+m"(*(char *)p)); }
static inline void fence(void) { __asm__ volatile("sfence" ::: "memory"); }
`;
const store = `#include "store.h"
#include "words.h"

void store(char *to, char what) { *to = what; }
`;
const main = `#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "store.h"
#include "words.h"

static void note(char *to, char what);
static char scratch[64];

/* The mark is durable, and what it stands for is not. */
int main(int argc, char **argv) {
  int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return 2;
  char *pool = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (argc > 2) return pool[64] && !pool[0];
  for (int i = 0; i < 9; i++) note(scratch, 'a');
  note(pool, 'x');
  pool[64] = 1;
  flush(&pool[64], 1);
  fence();
  return 0;
}

static void note(char *to, char what) { store(to, what); }
`;

function built(name: string, files: Readonly<Record<string, string>>): string {
  const within = join(folder, name);
  mkdirSync(within);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(within, file), text);
  const program = join(within, "program");
  const sources = ["main.c", "store.c"].map((file) => join(within, file));
  execFileSync("gcc", ["-O0", "-g", "-static", "-o", program, ...sources], { stdio: "pipe" });
  return program;
}

const optionsOf = (program: string) => subjectOf([program, pool], { recover: [program, pool, "check"] }).options;

async function repaired(name: string, files: Readonly<Record<string, string>>) {
  const { fixes, placed, changes } = await mended(optionsOf(built(name, files)), join(folder, name), false, (repair) =>
    repair.run(),
  );
  const changed = Object.fromEntries(changes.map(({ path, after }) => [basename(path), after]));
  expect(await errorsOf(optionsOf(built(`${name}-patched`, { ...files, ...changed })))).toEqual([]);
  const added = changes.map(({ path, diff }) => [basename(path), diff.match(/^\+(?!\+\+).*$/gm)]);
  return { said: fixText(fixes[0]!, placed[0]!), added: Object.fromEntries(added) };
}

const files = { "words.h": words, "store.h": "void store(char *to, char what);\n", "store.c": store, "main.c": main };

it("a function of another file is copied there and declared here", async () => {
  const { added } = await repaired("copied", files);
  expect(added["main.c"]).toEqual([
    "+static void note_PM(char *to, char what);",
    "+",
    "+  note_PM(pool, 'x');",
    "+  fence();",
    "+void store_PM(char *to, char what);",
    "+",
    "+",
    "+static void note_PM(char *to, char what) { store_PM(to, what); }",
  ]);
  expect(added["store.c"]).toEqual([
    "+",
    "+void store_PM(char *to, char what) { *to = what; flush(to, sizeof(*to)); }",
  ]);
});

/** `make seeded` takes it, too. */
it.runIf(process.env.SEEDED === "all")(
  "what keeps something of its own stays, and what it stored is flushed after the call",
  async () => {
    const counting = store.replace("{ *to", "{ static int calls; calls++; *to");
    const { said, added } = await repaired("kept", { ...files, "store.c": counting });
    expect(said).toContain("main flushes after the call of note, because store has a variable that outlives its calls");
    expect(added).toEqual({ "main.c": ["+  flush(pool, sizeof(*pool));", "+  fence();"] });
  },
);
