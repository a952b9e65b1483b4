/** The words that a place's `says` begins with for what the place is to the crash. Always: nobody reads these words to know the fact. */
import type { PlaceFact } from "./finding.ts";

/** Of facts about writes: "lost: log->len = 5". */
export const factWords = {
  lost: "lost",
  "lost-too": "lost too",
  "lost-in-part": "lost, unlike the rest",
  "not-durable": "not durable",
  "not-durable-either": "not durable either",
  until: "until this",
  survives: "survives",
} as const satisfies Partial<Record<PlaceFact, string>>;

export type WriteFact = keyof typeof factWords;

/** Facts that say that what was written here is not durable. */
export const lossFacts: ReadonlySet<PlaceFact | undefined> = new Set<PlaceFact>([
  ...(["lost", "lost-too", "lost-in-part", "not-durable", "not-durable-either"] as const),
]);
