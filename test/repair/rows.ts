/**
 * Seeded mistakes of our guests that flushes and fences cure, and those that they do not: what `blackout fix` is held against. A
 * row names the source, how it is built, and the commands around its run.
 */
import { existsSync } from "node:fs";
import type { SubjectOptions } from "../../src/session/subject/index.ts";
import { pool } from "../check/guests.ts";
import { seededMistakes } from "../check/seeded.ts";
import { compileGuest, guestSource } from "../support/programs.ts";

export interface RepairRow {
  readonly name: string;
  /** Below guests/. */
  readonly source: string;
  /** Besides the level of optimisation and -g. */
  readonly flags: readonly string[];
  /** What the program is built at that is repaired. */
  readonly level: "-O0" | "-O1";
  /** What a person would insert, where no twin of the guest tells. */
  readonly byHand?: readonly string[];
  /** The program's own words and the commands around it. */
  subject(program: string): Pick<SubjectOptions, "program" | "setup" | "recover">;
}

/** With -O1 the store bears the line of another statement that its value comes from. */
const strayLines: ReadonlySet<string> = new Set(["redolog WRONG_ORDER", "obj/ring MISSING_PERSIST"]);

const rowOf = (
  name: string,
  source: string,
  flags: readonly string[],
  subject: RepairRow["subject"] = (program) => ({ program: [program] }),
): RepairRow => ({ name, source, flags, level: strayLines.has(name) ? "-O0" : "-O1", subject });

const sourceIn = (folder: string, guest: string): string =>
  [`${folder}/${guest}.c`, `${folder}/${guest}.cpp`].find((path) => existsSync(guestSource(path)))!;

const onPool: RepairRow["subject"] = (program) => ({ program: [program, pool] });
const checkedBy: RepairRow["subject"] = (program) => ({ program: [program, pool], recover: [program, pool, "check"] });
const onObjects: RepairRow["subject"] = (program) => ({
  setup: [program, "create", pool],
  recover: [program, "check", pool],
  program: [program, "run", pool],
});

const structure = (guest: string, mistake: string): RepairRow =>
  rowOf(`${guest} ${mistake}`, sourceIn("check", guest), ["-static", `-DBUG_${mistake}`], onPool);

const onLibpmem = (guest: string, mistake: string): RepairRow =>
  rowOf(
    `${guest} ${mistake} on libpmem`,
    sourceIn("check", guest),
    ["-DPM_LIBPMEM", "-lpmem", `-DBUG_${mistake}`],
    onPool,
  );

const objects = (guest: string, mistake: string): RepairRow =>
  rowOf(`obj/${guest} ${mistake}`, sourceIn("check/obj", guest), [`-DBUG_${mistake}`, "-lpmemobj"], onObjects);

const hidden = (guest: string): RepairRow =>
  rowOf(`hidden/${guest}`, `check/hidden/${guest}.c`, ["-static", "-DBUG"], checkedBy);

const rule = (name: string, ...libraries: readonly string[]): RepairRow =>
  rowOf(`rules/${name}`, `rules/${name}.c`, libraries);

/** Traced as Hippocrates traces: without inlining, so that calls are calls. */
const subprogram = (name: string): RepairRow => ({
  ...rowOf(`repair/${name}`, `repair/${name}.c`, ["-static"], (program) => ({
    ...checkedBy(program),
    setup: [program, pool, "setup"],
  })),
  level: "-O0",
});

const listing = (name: string, subject?: RepairRow["subject"], ...libraries: readonly string[]): RepairRow =>
  rowOf(`listings/${name}`, `listings/${name}.c`, libraries, subject);

/** Their stores are in the right order, and only what makes them durable comes too late, or never: nothing orders them. */
const unordered: ReadonlySet<string> = new Set([
  ...["undolog EARLY_COMMIT", "redolog WRONG_ORDER", "redolog EARLY_CLEAR"],
  ...["queue HANG", "hashmap HANG", "undolog HANG", "allocator HANG"],
]);
const curableClasses: ReadonlySet<string> = new Set(["missing flush", "missing fence", "lost acknowledged write"]);
const incurableClasses: ReadonlySet<string> = new Set(["wrong order", "non-atomic update"]);

const structures = seededMistakes.filter(({ options }) => options.length === 0);
const isUnordered = ({ guest, mistake }: { readonly guest: string; readonly mistake: string }) =>
  unordered.has(`${guest} ${mistake}`);

/** Of listings, whose mended functions stand beside the others, and of order that nothing but a flush and fence in between gives. */
const hands: Readonly<Record<string, readonly string[]>> = {
  "listings/3-1-fix-in-place": ["clwb(&handle->offset);", "sfence();"],
  "listings/3-2-fix-by-caller": ["pmem_persist(destination, length);"],
  "listings/3-3-missing-fence": ["sfence();"],
  "listings/3-4-missing-flush": ["clwb(bytes);"],
  "listings/3-5-subprogram": ["clwb(&bytes[at]);", "modify_persistent(persistent);", "sfence();"],
  "listings/4-1-unordered-insert": ["PERSIST(entry, 128);"],
  "listings/4-2-unordered-replace": ["PERSIST(new_entry, 128);", "PERSIST(&new_entry->valid, 8);"],
  "listings/4-3-partly-ordered-insert": ["PERSIST(entry, 128);"],
  "rules/missing-flush/bad": ["persist(&pool->data);"],
  "rules/missing-flush/swap-bad": ["persist(&pool->flag);"],
  "rules/missing-flush/pmem-bad": ["pmem_persist((void *)&pool->data, 8);"],
  "repair/3-6-subprogram": ["CLWB(&addr[idx]);", "modify_PM(pm_addr);", "SFENCE();"],
  "repair/3-6-second-caller": ["CLWB(&addr[idx]);", "modify_PM(pm_addr);", "permute_PM(pm_addr);", "SFENCE();"],
  "repair/3-6-static-local": ["persist(&pm_addr[5], 1);"],
  "repair/fence-in-loop": ["flush(&table->cells[i], sizeof table->cells[i]);", "fence();"],
  "repair/flush-in-loop": [
    "flush(table->words, words * sizeof *table->words);",
    "flush(&table->last, sizeof table->last);",
    "flush(&table->marks[i].mark, sizeof table->marks[i].mark);",
    "fence();",
  ],
  "obj/copies": ["pmemobj_memcpy_persist(pool, note->text, text, sizeof text);"],
  "repair/mailbox": ["_mm_clflush(&box->letter);", "_mm_clflush(&box->stamp);", "_mm_sfence();"],
  "repair/library-copies": [
    "pmem_memcpy_persist(record->name, name, strlen(name) + 1);",
    "pmem_memcpy_persist(record->data, block, sizeof record->data);",
    "pmem_memset_persist(record->blank, '-', sizeof record->blank);",
    "pmem_memmove_persist(record->data + 64, record->data, 64);",
  ],
};

const withHand = (row: RepairRow): RepairRow => {
  const byHand = hands[row.name];
  return byHand === undefined ? row : { ...row, byHand };
};

const curableRows: readonly RepairRow[] = [
  ...structures
    .filter((one) => curableClasses.has(one.class) || isUnordered(one))
    .map(({ guest, mistake }) => structure(guest, mistake)),
  ...["array", "list", "queue", "undolog"].flatMap((guest) => [
    onLibpmem(guest, "MISSING_FLUSH"),
    onLibpmem(guest, "MISSING_FENCE"),
  ]),
  ...["early-answer", "early-marker", "second-push", "next-line"].map(hidden),
  ...["array", "ring"].flatMap((guest) => [objects(guest, "MISSING_PERSIST"), objects(guest, "MISSING_FENCE")]),
  ...["actions", "alloc"].map((guest) => objects(guest, "MISSING_PERSIST")),
  ...["missing-flush/bad", "missing-flush/swap-bad", "missing-fence/bad", "nontemporal-unfenced/bad"].map((name) =>
    rule(name),
  ),
  ...["missing-flush", "missing-fence", "nontemporal-unfenced"].map((name) => rule(`${name}/pmem-bad`, "-lpmem")),
  ...["3-1-fix-in-place", "3-3-missing-fence", "3-4-missing-flush", "3-5-subprogram"].map((name) => listing(name)),
  listing("3-2-fix-by-caller", undefined, "-lpmem"),
  ...["3-6-subprogram", "3-6-second-caller", "3-6-static-local", "fence-in-loop", "flush-in-loop"].map(subprogram),
  rowOf("repair/mailbox", "repair/mailbox.c", ["-static"], checkedBy),
  rowOf("repair/library-copies", "repair/library-copies.c", ["-lpmem"], checkedBy),
  rowOf("obj/copies", "repair/object-copies.c", ["-lpmemobj"], onObjects),
  ...["4-1-unordered-insert", "4-2-unordered-replace", "4-3-partly-ordered-insert"].map((name) =>
    listing(name, checkedBy),
  ),
];

export const curable = curableRows.map(withHand);

export const incurable: readonly RepairRow[] = [
  ...structures
    .filter((one) => incurableClasses.has(one.class) && !isUnordered(one))
    .map(({ guest, mistake }) => structure(guest, mistake)),
  ...["flag-first", "in-line-transfer", "torn-pair", "wrap-around"].map(hidden),
  ...(["WRONG_ORDER"] as const).flatMap((mistake) => ["array", "ring"].map((guest) => objects(guest, mistake))),
  listing("2-4-header-first", checkedBy),
];

const inRust = (guest: string, mistake: string): RepairRow =>
  rowOf(`repair/${guest} ${mistake} in Rust`, `repair/${guest}.rs`, ["--cfg", `bug="${mistake}"`], checkedBy);

/** With helpers of the program's own, and with bare intrinsics. */
export const curableInRust: readonly RepairRow[] = [
  ...["MISSING_FLUSH", "MISSING_FENCE"].map((mistake) => inRust("journal", mistake)),
  ...["MISSING_FLUSH", "MISSING_BOTH"].map((mistake) => inRust("mailbox", mistake)),
];

export const compileRow = ({ source, flags, level }: RepairRow): string =>
  compileGuest(source, [level, "-g", ...flags]);
