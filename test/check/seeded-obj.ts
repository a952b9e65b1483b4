/** The mistakes seeded into the guests below guests/check/obj, and how `blackout check` tells each. */
import { existsSync } from "node:fs";
import { compileGuest, guestSource } from "../support/programs.ts";

const pool = "/tmp/blackout-check-objects.pool";
/** Three times what opening a pool and judging it takes. */
const hangLimit = "60000000";

export function objectGuest(name: string, mistake: string | undefined): string {
  const source = [`check/obj/${name}.c`, `check/obj/${name}.cpp`].find((path) => existsSync(guestSource(path)))!;
  return compileGuest(source, ["-O1", "-g", ...(mistake === undefined ? [] : [`-DBUG_${mistake}`]), "-lpmemobj"]);
}

/** The words of `check`: the set-up makes the pool, so that only the work on it is traced. */
export const objectWords = (program: string): readonly string[] => [
  "--no-rules",
  ...["--hang-limit", hangLimit],
  ...["--setup", `${program} create ${pool}`],
  ...["--recover", `${program} check ${pool}`],
  ...["--", program, "run", pool],
];

const fails = "recovery-fails";
const killed = "recovery-killed";
const hangs = "recovery-hangs";

// biome-ignore format: columns stay aligned
export const objectMistakes = [
  // guest     mistake                class                       rule    what is said                            in
  ["array",    "MISSING_PERSIST",    "missing persist",           fails,  /exits with 3.*contents are \(0\)/,      "append"],
  ["array",    "MISSING_FENCE",      "missing fence",             fails,  /exits with 3.*contents are \(0\)/,      "append"],
  ["array",    "WRONG_ORDER",        "wrong order",               fails,  /exits with 3.*contents are \(0\)/,      "append"],
  ["array",    "MISSING_ADD",        "missing add",               fails,  /exits with 3.*contents are \(1 1 3\)/,  "turn"],

  ["list",     "MISSING_ADD",        "missing add",               fails,  /3 linked, 2 counted/,                   "push"],
  ["list",     "NON_ATOMIC",         "non-atomic update",         fails,  /3 linked, 2 counted/,                   "push"],
  ["list",     "HANG",               "hang",                      hangs,  /does not end within/,                   "turn"],
  ["list",     "WRONG_ORDER",        "wrong order",               fails,  /3 linked, 2 allocated/,                 "pop"],

  ["queue",    "MISSING_ADD",        "missing add",               fails,  /2 linked, 1 allocated/,                 "enqueue"],
  ["queue",    "LOST_ACK",           "lost acknowledged write",   fails,  /1 acknowledged, 0 there/,               "enqueue"],
  ["queue",    "NON_ATOMIC",         "non-atomic update",         fails,  /1 linked, 2 allocated/,                 "dequeue"],
  ["queue",    "RECOVERY",           "recovery bug",              killed, /killed by SIGSEGV/,                     "enqueue"],

  ["map",      "MISSING_ADD",        "missing add",               fails,  /2 found, 1 counted/,                    "put"],
  ["map",      "LOST_ACK",           "lost acknowledged write",   fails,  /2 acknowledged, 1 there/,               "put"],
  ["map",      "WRONG_ORDER",        "wrong order",               fails,  /0 found, 2 counted/,                    "grow"],
  ["map",      "NON_ATOMIC",         "non-atomic update",         fails,  /1 found, 2 counted/,                    "drop"],

  ["tree",     "MISSING_ADD_CHILD",  "missing add",               fails,  /contents are \(2=20 4=40 6=60 4=40/,    "split"],
  ["tree",     "MISSING_ADD_PARENT", "missing add",               fails,  /4 nodes linked, 3 allocated/,           "split"],
  ["tree",     "NON_ATOMIC",         "non-atomic update",         fails,  /a node has 0 keys/,                     "raise"],
  ["tree",     "LOST_ACK",           "lost acknowledged write",   fails,  /4 acknowledged, 3 there/,               "replace"],

  ["ring",     "MISSING_PERSIST",    "missing persist",           fails,  /the record at 0 is damaged/,            "append"],
  ["ring",     "MISSING_FENCE",      "missing fence",             fails,  /the record at 0 is damaged/,            "append"],
  ["ring",     "WRONG_ORDER",        "wrong order",               fails,  /the record at 0 is damaged/,            "append"],
  ["ring",     "NON_ATOMIC",         "non-atomic update",         fails,  /contents are \(4/,                      "append"],
  ["ring",     "HANG",               "hang",                      hangs,  /does not end within/,                   "append"],

  ["accounts", "MISSING_ADD",        "missing add",               fails,  /\(100\/0 110\/1 100\/0\)/,              "transfer"],
  ["accounts", "SHORT_ADD",          "missing add",               fails,  /\(100\/1 100\/0 100\/0\)/,              "transfer"],
  ["accounts", "WRONG_ORDER",        "wrong order",               fails,  /\(90\/1 /,                              "transfer"],
  ["accounts", "NON_ATOMIC",         "non-atomic update",         fails,  /\(90\/1 100\/0 100\/0\)/,               "transfer"],
  ["accounts", "LOST_ACK",           "lost acknowledged write",   fails,  /1 acknowledged, 0 there/,               "transfer"],

  ["actions",  "MISSING_PERSIST",    "missing persist",           fails,  /exits with 3.*contents are/,            "reserve"],
  ["actions",  "WRONG_ORDER",        "wrong order",               fails,  /1 records, 0 allocated/,                "put"],
  ["actions",  "NON_ATOMIC",         "non-atomic update",         fails,  /0 records, 1 allocated/,                "put"],
  ["actions",  "LOST_ACK",           "lost acknowledged write",   fails,  /1 acknowledged, 0 there/,               "put"],

  ["alloc",    "MISSING_PERSIST",    "missing persist",           fails,  /thing 0 was not constructed/,           "construct"],
  ["alloc",    "LATE_CONSTRUCTION",  "wrong order",               fails,  /thing 0 was not constructed/,           "make"],
  ["alloc",    "LEAK",               "non-atomic update",         fails,  /0 named, 1 allocated/,                  "make"],
  ["alloc",    "WRONG_ORDER",        "wrong order",               fails,  /2 named, 1 allocated/,                  "discard"],
] as const;
