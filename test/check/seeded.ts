/**
 * The mistakes seeded into the guests below guests/check, and how `blackout check` tells each. `inside` is a function of the
 * stores that were lost, or of the failure point when none was. With `options` it takes more failure points than usual.
 */

export type MistakeClass =
  | "missing flush"
  | "missing fence"
  | "wrong order"
  | "non-atomic update"
  | "recovery bug"
  | "lost acknowledged write"
  | "hang";

export interface SeededMistake {
  readonly guest: string;
  readonly mistake: string;
  readonly class: MistakeClass;
  readonly rule: "recovery-fails" | "recovery-killed" | "recovery-hangs";
  readonly says: RegExp;
  readonly inside: string;
  readonly options: readonly string[];
}

export const checkGuests = [
  "array", "list", "queue", "hashmap", "btree", "ringlog", "undolog", "redolog", "allocator",
] as const; // biome-ignore format: one line

const seeded = (
  guest: (typeof checkGuests)[number],
  mistake: string,
  kind: MistakeClass,
  rule: SeededMistake["rule"],
  says: RegExp,
  inside: string,
  ...options: readonly string[]
): SeededMistake => ({ guest, mistake, class: kind, rule, says, inside, options });

const fails = "recovery-fails";
const killed = "recovery-killed";
const hangs = "recovery-hangs";
const all = "--all-points";
const everyStore = ["--granularity", "store"];

// biome-ignore format: columns stay aligned
export const seededMistakes: readonly SeededMistake[] = [
  //      guest        mistake              class                      rule    what is said                                    in
  seeded("array",     "MISSING_FLUSH",     "missing flush",           fails,  /exits with 3.*cell 0 is lost.*is lost and/,     "append"),
  seeded("array",     "MISSING_FENCE",     "missing fence",           fails,  /exits with 3.*cell 0 is lost.*is lost and/,     "append"),
  seeded("array",     "WRONG_ORDER",       "wrong order",             fails,  /exits with 3.*cell 0 is lost.*every store/,     "append"),
  seeded("array",     "NON_ATOMIC",        "non-atomic update",       fails,  /exits with 3.*cell 0 is lost.*is lost and/,     "replace"),
  seeded("array",     "LOST_ACK",          "lost acknowledged write", fails,  /exits with 4.*operation 6 is half done/,        "replace"),
  seeded("array",     "RECOVERY",          "recovery bug",            fails,  /exits with 3.*cell 0 is lost/,                  "append"),

  seeded("list",      "MISSING_FLUSH",     "missing flush",           killed, /killed by SIGABRT.*lost and/,                   "push"),
  seeded("list",      "MISSING_FENCE",     "missing fence",           killed, /killed by SIGABRT.*lost and/,                   "push"),
  seeded("list",      "WRONG_ORDER",       "wrong order",             killed, /killed by SIGABRT.*every store/,                "push"),
  seeded("list",      "NON_ATOMIC",        "non-atomic update",       fails,  /exits with 4.*operation 5 is half done.*every/, "take_out"),
  seeded("list",      "LOST_ACK",          "lost acknowledged write", fails,  /exits with 5.*5 acknowledged, 0 there.*lost/,   "push"),
  seeded("list",      "RECOVERY",          "recovery bug",            killed, /killed by SIGSEGV, accessing 0x10/,             "push"),
  seeded("list",      "HANG",              "hang",                    hangs,  /does not end within/,                           "push"),

  seeded("queue",     "MISSING_FLUSH",     "missing flush",           fails,  /exits with 3.*message 0 is damaged.*lost and/,  "enqueue"),
  seeded("queue",     "MISSING_FENCE",     "missing fence",           fails,  /exits with 3.*message 0 is damaged.*lost and/,  "enqueue"),
  seeded("queue",     "WRONG_ORDER",       "wrong order",             fails,  /exits with 3.*message 0 is damaged.*every/,     "enqueue"),
  seeded("queue",     "NON_ATOMIC",        "non-atomic update",       fails,  /exits with 3.*message 2 is damaged.*every/,     "dequeue"),
  seeded("queue",     "LOST_ACK",          "lost acknowledged write", fails,  /exits with 5.*2 acknowledged, 0 there.*lost/,   "enqueue"),
  seeded("queue",     "RECOVERY",          "recovery bug",            fails,  /exits with 5.*2 acknowledged, 1 there/,         "dequeue"),
  seeded("queue",     "HANG",              "hang",                    hangs,  /does not end within.*lost and/,                 "enqueue"),

  seeded("hashmap",   "MISSING_FLUSH",     "missing flush",           fails,  /exits with 3.*has a strange node.*lost and/,    "insert"),
  seeded("hashmap",   "MISSING_FENCE",     "missing fence",           fails,  /exits with 3.*has a strange node.*lost and/,    "insert"),
  seeded("hashmap",   "WRONG_ORDER",       "wrong order",             fails,  /exits with 3.*has a strange node.*every/,       "insert"),
  seeded("hashmap",   "NON_ATOMIC",        "non-atomic update",       fails,  /exits with 4.*operation 5 is half done.*every/, "put"),
  seeded("hashmap",   "NON_ATOMIC_GROW",   "non-atomic update",       fails,  /exits with 5.*4 acknowledged, 3 there.*every/,  "grow"),
  seeded("hashmap",   "LOST_ACK",          "lost acknowledged write", fails,  /exits with 5.*6 acknowledged, 5 there.*lost/,   "put"),
  seeded("hashmap",   "RECOVERY",          "recovery bug",            hangs,  /does not end within.*every/,                    "grow"),
  seeded("hashmap",   "HANG",              "hang",                    hangs,  /does not end within.*lost and/,                 "remove"),

  seeded("btree",     "MISSING_FLUSH",     "missing flush",           fails,  /exits with 3.*a node has 0 entries.*lost and/,  "write_part"),
  seeded("btree",     "MISSING_FENCE",     "missing fence",           fails,  /exits with 3.*a node has 0 entries.*lost and/,  "write_node"),
  seeded("btree",     "WRONG_ORDER",       "wrong order",             fails,  /exits with 4.*operation 3 is half done.*every/, "put"),
  seeded("btree",     "EARLY_FREE",        "wrong order",             fails,  /exits with 4.*operation 3 is half done.*every/, "write_node"),
  seeded("btree",     "NON_ATOMIC",        "non-atomic update",       fails,  /exits with [34]/,                               "change", ...everyStore),
  seeded("btree",     "LOST_ACK",          "lost acknowledged write", fails,  /exits with 5.*1 acknowledged, 0 there.*lost/,   "set_root"),
  seeded("btree",     "RECOVERY",          "recovery bug",            fails,  /exits with 3.*wrong at the end/,                "put"),

  seeded("ringlog",   "MISSING_FLUSH",     "missing flush",           fails,  /exits with [45].*lost and/,                     "append"),
  seeded("ringlog",   "MISSING_FENCE",     "missing fence",           fails,  /exits with [45].*lost and/,                     "append"),
  seeded("ringlog",   "NON_ATOMIC",        "non-atomic update",       fails,  /exits with 4.*half done.*every/,                "drop_oldest"),
  seeded("ringlog",   "LOST_ACK",          "lost acknowledged write", fails,  /exits with [45].*lost and/,                     "drop_oldest"),
  seeded("ringlog",   "RECOVERY",          "recovery bug",            fails,  /exits with 3.*record 0 is torn/,                "append"),
  seeded("ringlog",   "RECOVERY_SEQUENCE", "recovery bug",            fails,  /exits with 3/,                                  "append", all),
  seeded("ringlog",   "HANG",              "hang",                    hangs,  /does not end within.*every store/,              "append"),

  seeded("undolog",   "MISSING_FLUSH",     "missing flush",           killed, /killed by SIGABRT.*lost and/,                   "remember"),
  seeded("undolog",   "MISSING_FENCE",     "missing fence",           killed, /killed by SIGABRT.*lost and/,                   "remember"),
  seeded("undolog",   "WRONG_ORDER",       "wrong order",             fails,  /exits with 4.*half done/,                       "add"),
  seeded("undolog",   "EARLY_COMMIT",      "wrong order",             fails,  /exits with 4.*half done.*lost and/,             "add"),
  seeded("undolog",   "NON_ATOMIC",        "non-atomic update",       fails,  /exits with 4.*half done/,                       "transfer"),
  seeded("undolog",   "LOST_ACK",          "lost acknowledged write", fails,  /exits with [45].*lost and/,                     "add"),
  seeded("undolog",   "RECOVERY",          "recovery bug",            fails,  /exits with 4.*operation 1 is half done/,        "relay"),
  seeded("undolog",   "HANG",              "hang",                    hangs,  /does not end within.*lost and/,                 "remember"),

  seeded("redolog",   "MISSING_FLUSH",     "missing flush",           fails,  /exits with 4.*half done.*lost and/,             "put"),
  seeded("redolog",   "MISSING_FENCE",     "missing fence",           fails,  /exits with 4.*half done.*lost and/,             "operate"),
  seeded("redolog",   "WRONG_ORDER",       "wrong order",             fails,  /exits with 4.*half done.*lost and/,             "operate"),
  seeded("redolog",   "EARLY_CLEAR",       "wrong order",             fails,  /exits with 4.*half done.*lost and/,             "apply"),
  seeded("redolog",   "LATE_CLEAR",        "wrong order",             fails,  /exits with 4.*half done.*lost and/,             "apply", all),
  seeded("redolog",   "NON_ATOMIC",        "non-atomic update",       fails,  /exits with 4.*half done/,                       "put"),
  seeded("redolog",   "LOST_ACK",          "lost acknowledged write", fails,  /exits with [45].*lost and/,                     "apply"),
  seeded("redolog",   "RECOVERY",          "recovery bug",            fails,  /exits with 4.*half done/,                       "commit"),

  seeded("allocator", "MISSING_FLUSH",     "missing flush",           fails,  /exits with 3.*the heap is broken at 128.*lost/, "allocate"),
  seeded("allocator", "SHORT_FLUSH",       "missing flush",           fails,  /exits with [45].*lost and/,                     "allocate"),
  seeded("allocator", "MISSING_FENCE",     "missing fence",           killed, /killed by SIGABRT.*lost and/,                   "allocate"),
  seeded("allocator", "WRONG_ORDER",       "wrong order",             fails,  /exits with 3.*the heap is broken at 128/,       "allocate"),
  seeded("allocator", "EARLY_RELEASE",     "wrong order",             killed, /killed by SIGABRT.*a root owns a free chunk/,   "drop"),
  seeded("allocator", "NON_ATOMIC",        "non-atomic update",       fails,  /exits with 4.*operation 5 is half done.*every/, "replace"),
  seeded("allocator", "LOST_ACK",          "lost acknowledged write", fails,  /exits with 5.*3 acknowledged, 0 there.*lost/,   "make"),
  seeded("allocator", "RECOVERY",          "recovery bug",            fails,  /exits with 4.*half done/,                       "make"),
  seeded("allocator", "HANG",              "hang",                    hangs,  /does not end within.*lost and/,                 "allocate"),
];

/** Mistakes that recovery copes with when nobody judges the contents: only what it then prints gives them away. */
export const silentMistakes = [
  ["list", "NON_ATOMIC", "take_out"],
  ["hashmap", "NON_ATOMIC", "put"],
  ["undolog", "EARLY_COMMIT", "add"],
  ["redolog", "LOST_ACK", "apply"],
] as const;

/** Seeded mistakes that are also looked for on libpmem, where a recovery takes longer to start. */
export const libpmemMistakes: ReadonlySet<string> = new Set(["list MISSING_FENCE", "queue MISSING_FLUSH"]);
