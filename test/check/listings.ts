/** The guests below guests/listings whose mistakes only recovery tells, and what it says. */
const pool = "/tmp/blackout-listing-pool.img";

export interface CrashedListing {
  readonly name: string;
  /** The function with the mistake. */
  readonly inside: string;
  /** What recovery says, once for each way to fail. */
  readonly says: readonly string[];
}

const noKey = "not so: strlen(entry->key) > 0";
const noValue = "not so: strlen(entry->value) > 0";
const gone = "not so: finds(table, table[2].key)";

export const crashedListings: readonly CrashedListing[] = [
  { name: "2-4-header-first", inside: "create", says: ["arena 0 has no type"] },
  { name: "4-1-unordered-insert", inside: "insert", says: [noKey] },
  { name: "4-2-unordered-replace", inside: "replace", says: [gone, noKey] },
  { name: "4-3-partly-ordered-insert", inside: "insert_ordered", says: [noValue] },
];

export const crashedListingWords = (program: string): readonly string[] => [
  ...["--recover", `${program} ${pool} check`],
  ...["--", program, pool],
];
