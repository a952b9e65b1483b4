/** What kinds of events are called. */

/** What most kinds of events are called is their name. */
const kindWords: Readonly<Record<string, string>> = {
  locked: "locked operation",
  call: "file call, which follows this",
  "non-temporal": "non-temporal store",
};

/** What an event of this kind is called. */
export const eventWord = (kind: string): string => kindWords[kind] ?? kind;
