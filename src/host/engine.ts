/**
 * Switches of V8 that the machine's code is written for, set once per process and before the first module is compiled.
 * They change how fast code is, never what it does (docs/adr/0008-code-for-v8.md, docs/adr/0012-start-up.md).
 */
import { setFlagsFromString } from "node:v8";

const switches: readonly string[] = [
  // Ways out of a region are marked as seldom taken: their register moves stay out of the straight path.
  "--experimental-wasm-branch-hinting",
  // An interpreter's loop is one large region, and worth the time (docs/adr/0016-interpreters-are-one-region.md).
  "--no-turbo-use-mid-tier-regalloc-for-huge-functions",
  // Fifteen times the default: a short run ends before optimising the translator pays, a long one hardly notices.
  "--interrupt-budget=1000000",
  // Young objects get sixteen megabytes soon: most of what a short run makes is never copied.
  "--semi-space-growth-factor=8",
  // The modules are our own; a function is validated when it is first called.
  "--wasm-lazy-validation",
];

export function tuneEngine(): void {
  for (const text of switches) setFlagsFromString(text);
}
