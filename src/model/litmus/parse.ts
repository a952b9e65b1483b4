/** Reads a file of litmus tests in either format. */
import { parseHerdTest } from "./herd/parse.ts";
import { parseJsonTests } from "./parse-json.ts";
import type { LitmusTest } from "./program.ts";
import type { Source } from "./source.ts";

export function parseTests(source: Source): LitmusTest[] {
  return /^\s*\{/.test(source.text) ? parseJsonTests(source) : [parseHerdTest(source)];
}
