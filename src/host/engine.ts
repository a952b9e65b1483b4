/**
 * Switches of V8 that the machine's code is written for, set once per process and before the first module is compiled.
 * They change how fast code is, never what it does (docs/adr/0008-code-for-v8.md, docs/adr/0012-start-up.md).
 */
import { setFlagsFromString } from "node:v8";

/** Fifteen times what V8 does by itself: a short run ends before optimising the translator pays. */
const patience = "--interrupt-budget=1000000";
const impatience = "--interrupt-budget=67584";

const switches: readonly string[] = [
  // Ways out of a region are marked as seldom taken: their register moves stay out of the straight path.
  "--experimental-wasm-branch-hinting",
  // An interpreter's loop is one large region, and worth the time (docs/adr/0016-interpreters-are-one-region.md).
  "--no-turbo-use-mid-tier-regalloc-for-huge-functions",
  patience,
  // Young objects get sixteen megabytes soon: most of what a short run makes is never copied.
  "--semi-space-growth-factor=8",
  // The modules are our own; a function is validated when it is first called.
  "--wasm-lazy-validation",
];

export function tuneEngine(): void {
  for (const text of switches) setFlagsFromString(text);
}

let pace = patience;

/**
 * What takes longer than a second has JavaScript optimised as soon as V8 does by itself: a worker begins with nothing
 * optimised, and for seconds most of what it took longer than one thread alone was code that waited for that.
 */
export function expectLongWork(): void {
  if (pace === impatience) return;
  pace = impatience;
  setFlagsFromString(pace);
}

/**
 * V8's functions for tests may be called by name meanwhile. Machine code that is kept is bound to V8's switches: here they
 * are those that every process begins with.
 */
export function withNatives<T>(use: () => T): T {
  setFlagsFromString(patience);
  setFlagsFromString("--allow-natives-syntax");
  try {
    return use();
  } finally {
    setFlagsFromString("--no-allow-natives-syntax");
    setFlagsFromString(pace);
  }
}
