/**
 * The clients of Table 1 of Marmanis and Vafeiadis ("SMT-based verification of persistency invariants of Px86 programs", 2022), on our
 * own versions of the three libraries. The paper names its clients and does not print them: threads are joined by +, 3dw is three
 * threads of dw, and w says by a plain store that what came before is over.
 */

export interface ClientRow {
  readonly library: "flit" | "queue" | "set";
  readonly client: string;
  /** Functions, one a thread, each called with its thread's number. */
  readonly threads: readonly string[];
  readonly recover: string;
  /** Seconds and nodes that the paper gives. */
  readonly paper: readonly [seconds: number, nodes: number];
}

// biome-ignore format: a table
const rows = [
  ["flit",  "ldld",        "w rr",              "loaded_both",    0.28,    29],
  ["flit",  "ww",          "ww",                "stored_both",    0.28,    24],
  ["flit",  "u+u-w",       "u u",               "added",          0.29,    33],
  ["flit",  "w+w-w",       "w w",               "stored",         0.29,    30],
  ["flit",  "w+rw-w",      "w rw",              "passed_on",      0.30,    33],
  ["flit",  "u+u+u+u-w",   "u u u u",           "added",          0.39,    47],
  ["flit",  "2uu+uu-w",    "uu uu uu",          "added_twice",    0.46,    60],
  ["flit",  "3uu",         "uu uu uu",          "added_twice",    0.50,    53],
  ["flit",  "uu+uu",       "uu uu",             "added_twice",    0.50,    39],
  ["flit",  "2uu+2uu-w2",  "uu uu uu uu",       "added_twice",    0.87,    75],
  ["flit",  "4uu",         "uu uu uu uu",       "added_twice",    2.08,    67],
  ["flit",  "2uu+2uu-w",   "uu uu uu uu",       "added_twice",    2.39,    74],
  ["queue", "dw",          "dw",                "one_taker",      0.35,    70],
  ["queue", "e+d",         "e d",               "second_takes",   1.46,   145],
  ["queue", "ee+dw",       "ee dw",             "second_takes",   1.65,   205],
  ["queue", "e+e",         "e e",               "list_is_broken", 3.07,   157],
  ["queue", "ee+d",        "ee d",              "second_takes",   3.98,   213],
  ["queue", "e+de",        "e de",              "second_takes",   6.63,   222],
  ["queue", "ee+ddw",      "ee ddw",            "second_takes",   8.54,   272],
  ["queue", "ee+dd",       "ee dd",             "second_takes",   10.99,  269],
  ["queue", "e+e+d",       "e e d",             "two_take",       18.16,  213],
  ["queue", "e2+2dw",      "ee dw dw",          "two_take",       34.38,  332],
  ["queue", "e+e+d+d",     "e d d e",           "two_take",       36.70,  269],
  ["queue", "e+e+e",       "e e e",             "list_is_broken", 48.88,  225],
  ["queue", "ee+ddw+d",    "ee ddw d",          "two_take",       59.62,  328],
  ["queue", "e+de+e",      "e de e",            "second_takes",   60.94,  281],
  ["queue", "e+de+e+d",    "e de d e",          "two_take",       227.13, 337],
  ["queue", "e3+3dw",      "eee dw dw dw",      "three_take",     427.54, 459],
  ["set",   "iw",          "iw",                "put_in_is_lost", 10.78,  287],
  ["set",   "i",           "i",                 "is_broken",      11.87,  286],
  ["set",   "irw",         "irw",               "taken_out_is_there", 34.13, 471],
  ["set",   "ir",          "ir",                "is_broken",      37.42,  469],
  ["set",   "iw+rw",       "iw rw",             "out_after_in",   64.70,  472],
  ["set",   "i+crw",       "i crw",             "seen_and_out",   89.31,  488],
  ["set",   "i+i-w",       "iw i",              "put_in_is_lost", 260.89, 524],
  ["set",   "i+i",         "i i",               "is_broken",      416.12, 505],
  ["set",   "ii+r",        "ii r",              "is_broken",      1151.50, 688],
] as const;

export const clientRows: readonly ClientRow[] = rows.map(([library, client, threads, recover, seconds, nodes]) => ({
  ...{ library, client, recover },
  threads: threads.split(" "),
  paper: [seconds, nodes],
}));
