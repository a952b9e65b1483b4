/** What two builds are compared on: guests with the parameters that their tests use. Guests are compiled when asked for. */
import { checkGuest, pool } from "../../test/check/guests.ts";
import { crashedListings, crashedListingWords } from "../../test/check/listings.ts";
import { checkGuests, libpmemMistakes, seededMistakes, silentMistakes } from "../../test/check/seeded.ts";
import { objectGuest, objectMistakes, objectWords } from "../../test/check/seeded-obj.ts";
import { compileRuleGuest, ruleGuests } from "../../test/rules/guests.ts";
import { listingGuest, tracedListings } from "../../test/rules/listings.ts";
import { compileGuest } from "../../test/support/programs.ts";
import { buildStore, mistakes as storeMistakes } from "../demo/store.ts";

export interface Case {
  readonly name: string;
  readonly command: "check" | "trace";
  /** The command's options, `--`, and the program's own words. */
  words(): readonly string[];
}

/** A recovery that succeeds, where the guest has none: the failure points and states still count. */
const someStates = ["--max-states", "40", "--recover", "/bin/true"];

function both(name: string, program: () => string, options: readonly string[] = [], words: readonly string[] = []) {
  const run = (more: readonly string[]) => () => [...options, ...more, "--", program(), ...words];
  const trace: Case = { name: `trace ${name}`, command: "trace", words: run([]) };
  // Rules of one's own and the severity that fails are not check's.
  const check: Case = { name: `check ${name}`, command: "check", words: () => [...someStates, ...run([])()] };
  return options.length === 0 ? [trace, check] : [trace];
}

const checked = (name: string, words: () => readonly string[]): Case => ({
  name: `check ${name}`,
  command: "check",
  words,
});

const structures = (): readonly Case[] => [
  ...seededMistakes.map(({ guest, mistake, options }) =>
    checked(`${guest} ${mistake}`, () => ["--no-rules", ...options, "--", checkGuest(guest, mistake), pool]),
  ),
  ...seededMistakes
    .filter(({ guest, mistake }) => libpmemMistakes.has(`${guest} ${mistake}`))
    .map(({ guest, mistake }) =>
      checked(`${guest} ${mistake} on libpmem`, () => ["--", checkGuest(guest, mistake, "libpmem"), pool]),
    ),
  ...checkGuests.map((guest) =>
    checked(guest, () => ["--granularity", "store", "--all-points", "--", checkGuest(guest, undefined), pool]),
  ),
  ...checkGuests.map((guest): Case => {
    const words = () => ["--", checkGuest(guest, undefined), pool];
    return { name: `trace ${guest}`, command: "trace", words };
  }),
  ...silentMistakes.map(([guest, mistake]) =>
    checked(`${guest} ${mistake} by output`, () => {
      const program = checkGuest(guest, mistake);
      return ["--oracle", "output", "--recover", `${program} ${pool} show`, "--", program, pool];
    }),
  ),
  checked("beside", () => ["--", checkGuest("beside", undefined), pool]),
  checked("large", () => {
    const program = compileGuest("check/large.c", ["-O1", "-g", "-static", "-DROOM=5", "-DBUG_SPILL"]);
    return ["--recover", `${program} ${pool}`, "--", program, pool, "6000"];
  }),
];

const objects = (): readonly Case[] => [
  ...objectMistakes.map(([name, mistake]) =>
    checked(`obj/${name} ${mistake}`, () => objectWords(objectGuest(name, mistake))),
  ),
  checked("obj/accounts", () => objectWords(objectGuest("accounts", undefined))),
];

const rules = (): readonly Case[] => ruleGuests.flatMap(({ name }) => both(name, () => compileRuleGuest(name)));

const listings = (): readonly Case[] => [
  ...tracedListings.flatMap(({ name, flags, options, words }) =>
    both([name, ...(words ?? [])].join(" "), () => listingGuest(name, flags), options, words),
  ),
  ...crashedListings.map(({ name }) => checked(name, () => crashedListingWords(listingGuest(name)))),
];

const pmemobj = (): readonly Case[] =>
  ["transactions", "atomics", "threads"].flatMap((name) =>
    both(`pmemobj/${name}`, () =>
      compileGuest(`pmemobj/${name}.c`, ["-O1", "-g", "-fno-inline", "-lpmemobj", "-lpmem", "-lpthread"]),
    ),
  );

const demo = (folder: string): readonly Case[] =>
  [[], storeMistakes].flatMap((mended) => {
    const name = mended.length === 0 ? "kv" : "kv-mended";
    const program = () => buildStore(folder, name, mended);
    const check = () => {
      const built = program();
      return ["--recover", `${built} rooms.pm check`, "--", built, "rooms.pm"];
    };
    return [
      checked(`demo/${name}`, check),
      { name: `trace demo/${name}`, command: "trace" as const, words: () => ["--", program(), "rooms.pm"] },
    ];
  });

/** Every `stride`th case of a group, from its first on. */
const sample = (cases: readonly Case[], stride: number): readonly Case[] =>
  cases.filter((_, index) => index % stride === 0);

/** All cases, or as many as take about two minutes on two cores. What the demo needs is compiled into `folder`. */
export function allCases(folder: string, quick: boolean): readonly Case[] {
  const groups: readonly [cases: readonly Case[], stride: number][] = [
    [structures(), 11],
    [rules(), 13],
    [listings(), 7],
    [demo(folder), 2],
    [pmemobj(), 5],
    [objects(), 37],
  ];
  return groups.flatMap(([cases, stride]) => (quick ? sample(cases, stride) : cases));
}
