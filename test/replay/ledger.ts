/** A program with two mistakes, whose recovery depends on a library, on a file and on what it was built with. */
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const source = `
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int verdict(void);
static char *pool;
static void persist(char *p) { __builtin_ia32_clflush(p); __builtin_ia32_sfence(); }
__attribute__((noinline)) static void first(void) { pool[0] = 1; pool[64] = 1; persist(pool + 64); }
__attribute__((noinline)) static void second(void) { pool[128] = 1; pool[192] = 1; persist(pool + 192); }
static int check(void) {
  char words[80] = "";
  FILE *rules = fopen("rules", "r");
  if (rules == NULL || fgets(words, sizeof words, rules) == NULL) return 99;
  words[strcspn(words, "\\n")] = 0;
  int bad = pool[64] && !pool[0] ? verdict() : pool[192] && !pool[128] ? 9 : 0;
  if (bad == 0 || strcmp(words, "forgive") == 0) return 0;
  fprintf(stderr, "%s\\n", words);
  return bad + WORSE;
}
int main(int argc, char **argv) {
  int fd = open(argv[2], O_RDWR | O_CREAT, 0600);
  if (argc < 3 || fd < 0 || ftruncate(fd, 4096)) return 90;
  pool = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pool == MAP_FAILED) return 91;
  if (argv[1][0] == 'c') return check();
  first();
  if (write(1, "first\\n", 6) != 6) return 92;
  persist(pool);
  second();
  return write(1, "second\\n", 7) != 7;
}
`;

const gcc = (directory: string, ...args: readonly string[]) =>
  execFileSync("gcc", ["-O1", "-g", ...args], { cwd: directory });

/** Builds the library anew, in place: its verdict on the first mistake. */
export function buildLibrary(directory: string, verdict: number): void {
  writeFileSync(join(directory, "verdict.c"), `int verdict(void) { return ${verdict}; }\n`);
  gcc(directory, "-shared", "-fPIC", "-o", "libverdict.so", "verdict.c");
}

/** Builds `ledger`, which is traced, or another name for the same source. */
export function buildLedger(directory: string, name = "ledger", worse = 0): void {
  const file = join(directory, "ledger.c");
  // Else it would be newer than what was built of it before.
  if (!existsSync(file)) writeFileSync(file, source);
  gcc(directory, `-DWORSE=${worse}`, "-o", name, "ledger.c", "-L.", "-lverdict", "-Wl,-rpath,$ORIGIN");
}

export const setRules = (directory: string, words: string): void =>
  writeFileSync(join(directory, "rules"), `${words}\n`);

/** All of it, with a recovery in a file of its own. */
export function makeLedger(directory: string): void {
  buildLibrary(directory, 5);
  buildLedger(directory);
  buildLedger(directory, "recovery");
  setRules(directory, "the ledger is torn");
}

/** The check's own words; options first. */
export const checkArgs = (...options: readonly string[]): readonly string[] => [
  "check",
  "--no-rules",
  ...["--recover", "./recovery check pool"],
  ...options,
  "--",
  "./ledger",
  "write",
  "pool",
];
