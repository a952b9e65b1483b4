/** The demo's key-value store: its three mistakes, each with what mends it, and the program with them or without. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const storeSource = resolve(import.meta.dirname, "../../guests/demo/kv.c");

export interface Mistake {
  /** The function that makes it. */
  readonly inside: string;
  readonly what: string;
  readonly wrong: string;
  readonly right: string;
}

export const mistakes: readonly Mistake[] = [
  {
    inside: "insert",
    what: "an entry is linked before it is persisted: the link can survive without it",
    wrong: `
  *bucket_of(key) = (uint64_t)(entry - store->entries);
  persist(entry, sizeof *entry);
`,
    right: `
  persist(entry, sizeof *entry);
  *bucket_of(key) = (uint64_t)(entry - store->entries);
`,
  },
  {
    inside: "update",
    what: "a value is overwritten in place: half of the old one and half of the new one can survive",
    wrong: `
static void update(const uint64_t *link, const char *value) {
  struct entry *entry = &store->entries[*link], fresh = *entry;
  strncpy(fresh.value, value, sizeof fresh.value - 1);
  write_words(entry->value, fresh.value);
  persist(entry->value, sizeof entry->value);
}
`,
    right: `
static void update(uint64_t *link, const char *value) {
  struct entry *entry = new_entry(), fresh = store->entries[*link];
  strncpy(fresh.value, value, sizeof fresh.value - 1);
  write_words(entry, fresh);
  persist(entry, sizeof *entry);
  reached[*link] = 0;
  *link = (uint64_t)(entry - store->entries);
  persist(link, sizeof *link);
}
`,
  },
  {
    inside: "del",
    what: "a deletion is reported without having been persisted: the key can come back",
    wrong: `
  *link = store->entries[at].next;
`,
    right: `
  *link = store->entries[at].next;
  persist(link, sizeof *link);
`,
  },
];

/** The source without some of its mistakes. */
export function mend(source: string, mended: readonly Mistake[]): string {
  return mended.reduce((text, { inside, wrong, right }) => {
    if (!text.includes(wrong)) throw new Error(`the mistake in ${inside}() is no longer in ${storeSource}`);
    return text.replace(wrong, right);
  }, source);
}

/** Compiles the store, its source beside it as a user has it, in a directory, and returns the program's path. */
export function buildStore(directory: string, name: string, mended: readonly Mistake[] = []): string {
  const source = `${name}.c`;
  writeFileSync(join(directory, source), mend(readFileSync(storeSource, "utf8"), mended));
  execFileSync("gcc", ["-march=x86-64-v2", "-O1", "-g", "-static", "-o", name, source], { cwd: directory });
  return join(directory, name);
}
