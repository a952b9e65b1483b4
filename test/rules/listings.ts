/** The guests below guests/listings that the rules over a trace judge, with the options each needs. */
import { resolve } from "node:path";
import { compileGuest } from "../support/programs.ts";

const example = (name: string) => resolve(import.meta.dirname, "../../examples/rules", name);
const customRules = ["redundant-undo-log.ts", "atomic-update.ts"].flatMap((name) => ["--rule", example(name)]);

export interface TracedListing {
  readonly name: string;
  readonly flags?: readonly string[];
  readonly options?: readonly string[];
  readonly words?: readonly string[];
  /** Nothing is expected, whatever the source says. */
  readonly silent?: true;
}

export const tracedListings: readonly TracedListing[] = [
  { name: "2-1-ordered-writes" },
  { name: "2-2-freed-pointer" },
  { name: "2-3-shrunk-array" },
  { name: "2-5-universal-oracles" },
  { name: "2-6-logged-twice", options: customRules },
  { name: "2-7-input-path", words: ["write"] },
  { name: "2-7-input-path", words: ["read"], silent: true },
  { name: "3-1-fix-in-place" },
  { name: "3-2-fix-by-caller", flags: ["-lpmem"] },
  { name: "3-3-missing-fence" },
  { name: "3-4-missing-flush" },
  { name: "3-5-subprogram" },
];

export const listingGuest = (name: string, flags: readonly string[] = ["-static"]): string =>
  compileGuest(`listings/${name}.c`, ["-O1", "-g", "-fno-inline", ...flags]);
