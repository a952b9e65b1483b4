/**
 * `blackout check` on structures on libpmemobj: every seeded mistake is found, in the function that makes it, and nothing
 * is found without. A pool is made by the set-up, so that only the work on it is traced. A recovery is some twenty million
 * instructions, so the tests take a few of the rows; SEEDED=all takes them all (`make seeded`).
 */
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findingsOf, functionsOf, type ShownFinding } from "../support/findings.ts";
import { compileGuest, guestSource } from "../support/programs.ts";

const pool = "/tmp/blackout-check-objects.pool";
/** Three times what opening a pool and judging it takes. */
const hangLimit = "60000000";

function compile(name: string, mistake: string | undefined): string {
  const source = [`check/obj/${name}.c`, `check/obj/${name}.cpp`].find((path) => existsSync(guestSource(path)))!;
  return compileGuest(source, ["-O1", "-g", ...(mistake === undefined ? [] : [`-DBUG_${mistake}`]), "-lpmemobj"]);
}

function check(name: string, mistake?: string): Promise<readonly ShownFinding[]> {
  const program = compile(name, mistake);
  const commands = ["--setup", `${program} create ${pool}`, "--recover", `${program} check ${pool}`];
  return findingsOf("check", ["--no-rules", "--hang-limit", hangLimit, ...commands, "--", program, "run", pool]);
}

/** A demangled function without its arguments. */
const bareName = (name: string): string => name.replace(/\(.*/, "");

const fails = "recovery-fails";
const killed = "recovery-killed";
const hangs = "recovery-hangs";

// biome-ignore format: columns stay aligned
const mistakes = [
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

const shown = (findings: readonly ShownFinding[]): string =>
  findings.map(({ rule, message, cause }) => `${rule}: ${message} in ${functionsOf(cause).join(" < ")}`).join("\n");

const everything = process.env.SEEDED === "all";
const quick: ReadonlySet<string> = new Set(["array MISSING_ADD"]);
const chosen = mistakes.filter(([name, mistake]) => everything || quick.has(`${name} ${mistake}`));

describe("a seeded mistake is found", () => {
  it.each(chosen)("%s %s: %s", async (name, mistake, _class, rule, says, inside) => {
    const findings = await check(name, mistake);
    const told = findings.filter((finding) => finding.rule === rule && says.test(finding.message));
    expect(told, shown(findings)).not.toEqual([]);
    expect(
      told.flatMap(({ cause }) => functionsOf(cause).map(bareName)),
      shown(told),
    ).toContain(inside);
  });
});

describe("nothing is found", () => {
  it.each(everything ? [...new Set(mistakes.map(([name]) => name))] : ["accounts"])("in %s", async (name) => {
    expect(shown(await check(name))).toBe("");
  });
});
