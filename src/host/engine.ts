/**
 * Switches of V8 that the machine's code is written for, set once per process and before the first module is compiled.
 * They change how fast compiled code is, never what it does (docs/adr/0008-code-for-v8.md).
 */
import { setFlagsFromString } from "node:v8";

const switches: readonly string[] = [
  // Ways out of a region are marked as seldom taken: their register moves stay out of the straight path.
  "--experimental-wasm-branch-hinting",
  // Four times the default: a short run ends before optimising the translator pays, a long one hardly notices.
  "--interrupt-budget=270000",
];

export function tuneEngine(): void {
  for (const text of switches) setFlagsFromString(text);
}
