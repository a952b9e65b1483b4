/** What docs claim, held against the project: folders, paths, rules of the model, figures of the benchmarks. */
import type { Violation } from "./sources.ts";

/** A page or a source file, as text. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

// ── The map ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Folders of src, as paths below it, that the map has no row for, and rows of the map that no folder has. */
export function mapViolations(page: Page, folders: readonly string[]): Violation[] {
  const section = /## The map\n([\s\S]*?)(?=\n## |$)/.exec(page.text)?.[1] ?? "";
  const cells = section.split("\n").flatMap((line) => (line.startsWith("|") ? [line.split("|")[1]!] : []));
  const mapped = cells.flatMap((cell) => [...cell.matchAll(/`src\/([\w/-]+)`/g)].map(([, folder]) => folder!));
  const says = (text: string): Violation => ({ path: page.path, line: 1, says: text });
  return [
    ...folders
      .filter((folder) => !mapped.includes(folder))
      .map((folder) => says(`the map has no row for src/${folder}`)),
    ...mapped.filter((folder) => !folders.includes(folder)).map((folder) => says(`there is no folder src/${folder}`)),
  ];
}

// ── Paths ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Words in backticks and in blocks of code, and targets of links, with where they are. */
function* quotedWords({ text }: Page): Generator<readonly [word: string, index: number]> {
  for (const pattern of [/^```[\s\S]*?^```/gm, /`[^`\n]+`/g, /\]\([^)\s]+/g])
    for (const { 0: quoted, index } of text.matchAll(pattern))
      for (const word of quoted.matchAll(/[\w.*{},@/-]+/g)) yield [word[0], index + word.index];
}

/** The longest part of a path without a pattern, or a NAME to be filled in. */
const fixedPart = (path: string): string =>
  path.replace(/\/(?:[^/]*[*{]|(?:NAME|ID)\b)[\s\S]*$/, "").replace(/[.,/]+$/, "");

/**
 * Paths that are not there. A word is a path when it begins with one of our folders; folders of src may be named without
 * it, and links start from the page's own folder.
 */
export function pathViolations(
  page: Page,
  roots: readonly string[],
  folders: readonly string[],
  exists: (path: string) => boolean,
): Violation[] {
  return [...quotedWords(page)].flatMap(([word, index]) => {
    const [first, ...rest] = word.replace(/^\.\//, "").split("/");
    if (first === undefined || rest.length === 0 || rest[0] === "") return [];
    const path = fixedPart([first, ...rest].join("/"));
    const found =
      (!roots.includes(first) && !folders.includes(first)) ||
      exists(path) ||
      (folders.includes(first) && exists(`src/${path}`));
    return found ? [] : [{ path: page.path, line: lineAt(page.text, index), says: `there is no ${path}` }];
  });
}

// ── Rules of the model ────────────────────────────────────────────────────────────────────────────────────────────

/** What a rule of the model can be about; a sentence that cites it must be about one of the same things. */
const subjects: readonly RegExp[] = [
  /\bloads?\b|\bsees?\b|\bread/i,
  /\bbuffer/i,
  /\bstores?\b|\bstored\b/i,
  /\bflush|\bclflush|\bclwb/i,
  /fence/i,
  /\blocked\b|compare-and-swap|cmpxchg|\batomic/i,
  /non-?temporal/i,
  /\blines?\b|\bprefix/i,
  /\bpersist|\bsurviv|written back/i,
  /\bvisible\b|\border/i,
  /\bcrash|\bpower/i,
  /\beadr\b|\bstrict\b/i,
];
const subjectsOf = (text: string): readonly RegExp[] => subjects.filter((subject) => subject.test(text));

/** One rule, several, or a row of them: PM-1 to PM-4, PM-7. */
const citation = /PM-\d+(?:(?: to|,| and) PM-\d+)*/g;

/** The numbers of a citation: those it names, and those between the ends of a row. */
function citedBy(text: string): { readonly named: readonly number[]; readonly all: readonly number[] } {
  const named = [...text.matchAll(/\d+/g)].map(([number]) => Number(number));
  const rows = [...text.matchAll(/PM-(\d+) to PM-(\d+)/g)].flatMap(([, first, last]) =>
    Array.from({ length: Math.max(0, Number(last) - Number(first)) }, (_, i) => Number(first) + i),
  );
  return { named, all: [...named, ...rows] };
}

/** The sentence around an index, without the citations in it. */
function sentenceAt(text: string, index: number): string {
  const from = Math.max(text.lastIndexOf(". ", index), text.lastIndexOf("\n\n", index)) + 1;
  const ends = [text.indexOf(". ", index), text.indexOf("\n\n", index)].filter((end) => end >= 0);
  return text.slice(from, Math.min(text.length, ...ends)).replaceAll(citation, "");
}

/** Rules that are cited and do not exist, or that are about something else than the sentence that cites them. */
export function ruleViolations(page: Page, rules: ReadonlyMap<string, string>, isProse: boolean): Violation[] {
  const passages = isProse ? [{ 0: page.text, index: 0 }] : commentsIn(page.text);
  const sentenceOf = (number: number): string | undefined => rules.get(`PM-${number}`);
  const numbers = [...page.text.matchAll(citation)].flatMap(({ 0: cited, index }) =>
    citedBy(cited)
      .named.filter((number) => sentenceOf(number) === undefined)
      .map((number) => ({ index, says: `there is no rule PM-${number}` })),
  );
  const meant = passages.flatMap(({ 0: text, index: start }) =>
    [...text.matchAll(citation)].flatMap(({ 0: cited, index }) => {
      const about = subjectsOf(sentenceAt(text, index));
      const { named, all } = citedBy(cited);
      const shares = all.some((number) => about.some((subject) => subject.test(sentenceOf(number) ?? "")));
      if (about.length === 0 || shares || named.some((number) => sentenceOf(number) === undefined)) return [];
      return [{ index: start + index, says: `PM-${named[0]} is another rule: ${sentenceOf(named[0]!)}` }];
    }),
  );
  return [...numbers, ...meant].map(({ index, says }) => ({ path: page.path, line: lineAt(page.text, index), says }));
}

/** Comments of a source file, each as one passage without its stars. */
function commentsIn(text: string): RegExpExecArray[] {
  return [...text.matchAll(/\/\*[\s\S]*?\*\/|(?:\/\/.*\n?)+/g)].map((found) => {
    found[0] = found[0].replaceAll(/^\s*(?:\*|\/\/)/gm, (lead) => " ".repeat(lead.length)).replaceAll("\n", " ");
    return found;
  });
}

// ── Figures ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** A figure is quoted as a link to the results, with the row's name as the link's title: [2.4 s](bench/RESULTS.md "hash"). */
const quote = /\[([^\]]+)\]\([^)\s]*bench\/RESULTS\.md(?: "([^"]*)")?\)/g;
const measured = /\d+\.\d+ ?(?:s|ms|×|M events)(?!\w)/g;

/** Figures that the results do not have in the row that is named, and measured figures that name no row. */
export function figureViolations(page: Page, results: string): Violation[] {
  const rows = results.split("\n").filter((line) => line.startsWith("|"));
  const wrong = [...page.text.matchAll(quote)].flatMap(({ 1: figure, 2: row, index }) => {
    const named = rows.filter((line) => row !== undefined && line.includes(row));
    const known = named.some((line) =>
      line.split("|").some((cell) => cell.trim().replaceAll("*", "").startsWith(figure!)),
    );
    if (known) return [];
    const says = named.length === 0 ? `the results have no row "${row}"` : `the results do not say ${figure} of ${row}`;
    return [{ path: page.path, line: lineAt(page.text, index), says }];
  });
  const quoted = page.text.replaceAll(quote, (link) => " ".repeat(link.length));
  const loose = [...quoted.matchAll(measured)].map(({ 0: figure, index }) => ({
    path: page.path,
    line: lineAt(page.text, index),
    says: `${figure.trim()} is measured: link it to its row of bench/RESULTS.md`,
  }));
  return [...wrong, ...loose];
}
