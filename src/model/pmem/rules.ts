/**
 * The rules of the persistency model, numbered as in docs/MODEL.md. Both models implement every rule separately and can
 * leave any one out; `caughtBy` names litmus tests of test/litmus that notice when they do, which a test checks.
 * `kind`: an order the hardware keeps, or a freedom it takes (leaving a freedom out forbids what is allowed).
 */
export type RuleId = `PM-${number}`;

export interface Rule {
  readonly id: RuleId;
  readonly kind: "order" | "freedom";
  readonly sentence: string;
  readonly caughtBy: readonly string[];
}

const order = (id: RuleId, sentence: string, ...caughtBy: string[]): Rule => ({
  id,
  kind: "order",
  sentence,
  caughtBy,
});
const freedom = (id: RuleId, sentence: string, ...caughtBy: string[]): Rule => ({
  id,
  kind: "freedom",
  sentence,
  caughtBy,
});

// biome-ignore format: one rule per line
export const rules: readonly Rule[] = [
  order("PM-1", "Stores of one thread become visible in program order.", "message-passing", "load-then-clflush"),
  freedom("PM-2", "A load may execute while earlier stores of its thread still wait in the store buffer.", "store-buffering", "smt-section-2-store-load"),
  order("PM-3", "A load sees the newest store of its own thread to that address, buffered or not.", "own-store-first"),
  freedom("PM-4", "A load served from the own buffer waits for nothing and orders nothing.", "forwarding-orders-nothing", "forwarded-load-then-clflushopt"),
  order("PM-5", "All threads see stores in one order; a load sees the newest visible one.", "message-passing", "four-threads-agree"),
  order("PM-6", "mfence waits until all earlier stores of its thread are visible.", "store-buffering-mfence", "crossed-clflushopt-mfence"),
  order("PM-7", "A locked update reads and writes with no other store to that address in between.", "locked-add-loses-nothing"),
  order("PM-8", "A locked operation waits until all earlier stores of its thread are visible.", "store-buffering-locked"),
  order("PM-9", "A compare-and-swap that fails is still a locked operation: it waits, and completes flushes.", "store-buffering-failed-cas", "clflushopt-failed-cas", "crossed-clflushopt-failed-cas"),
  order("PM-10", "clflush takes effect after every earlier store of its thread, whatever the line.", "clflush-other-line-after-store", "crossed-clflush"),
  order("PM-11", "Later stores of a thread become visible only after its clflush is complete.", "smt-figure-1-flag-after-data", "jaaru-figure-4-commit-store"),
  order("PM-12", "clflush persists every store to its line that is visible when it takes effect.", "jaaru-figure-2-write-back-window", "two-writers-two-flushes"),
  order("PM-13", "A flush covers all stores to its line that its thread could have seen before issuing it.", "load-then-clflushopt", "crossed-clflushopt-locked"),
  order("PM-14", "clflushopt and clwb cover earlier stores of their own thread to the same line.", "clflushopt-sfence", "psan-figure-2-flush-added"),
  order("PM-15", "clflushopt and clwb after an sfence cover what was visible when that fence took effect.", "crossed-clflushopt-sfence", "jaaru-sfence-orders-clflushopt"),
  freedom("PM-16", "clflushopt and clwb may take effect before earlier stores of their thread to other lines.", "crossed-clflushopt", "jaaru-table-1-clflushopt-passes-other-lines"),
  freedom("PM-17", "clflushopt and clwb promise nothing until a later fence of their own thread.", "clflushopt-without-fence", "fence-after-commit"),
  order("PM-18", "sfence completes the earlier flushes of its thread before any later store becomes visible.", "clflushopt-sfence", "undo-log"),
  order("PM-19", "mfence completes the earlier flushes of its thread.", "clflushopt-mfence", "nontemporal-mfence"),
  order("PM-20", "A locked operation completes the earlier flushes of its thread.", "clflushopt-locked", "nontemporal-locked"),
  freedom("PM-21", "A fence completes no flush of another thread.", "clflushopt-fence-of-other-thread", "clflushopt-mfence-of-other-thread"),
  freedom("PM-22", "sfence does not hold back later loads.", "store-buffering-sfence"),
  order("PM-23", "A line persists as a whole: a flush of any address covers all of its line.", "flush-covers-its-line", "line-is-a-prefix"),
  order("PM-24", "A line holds, after a crash, a prefix of the stores made to it, in the order they became visible.", "line-is-a-prefix", "psan-figure-6-one-line"),
  freedom("PM-25", "Different lines persist independently.", "lines-are-independent", "psan-figure-2-not-robust"),
  freedom("PM-26", "A non-temporal store is not ordered with other stores of its thread to other lines.", "nontemporal-passed-by-reader", "nontemporal-pair", "store-then-nontemporal"),
  order("PM-27", "A non-temporal store is ordered with fences and locked operations of its thread.", "sfence-then-nontemporal"),
  order("PM-28", "A fence makes earlier non-temporal stores of its thread persist, with no flush needed.", "nontemporal-sfence", "nontemporal-mfence"),
  freedom("PM-29", "A line may be written back at any time, asked for or not.", "lines-are-independent", "psan-figure-2-not-robust"),
  freedom("PM-30", "The power may fail at any moment.", "smt-figure-1-flag-after-data", "jaaru-figure-4-commit-store"),
  order("PM-31", "The next run starts from what the crash left, and only from that.", "starts-from-what-persisted", "psan-figure-8-two-crashes"),
  order("PM-32", "With eADR everything visible survives.", "lines-are-independent", "message-passing"),
];
