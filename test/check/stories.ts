/** The text of reports on guests, pinned at 80 columns; and what every headline must do: stand on the user's lines. */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect } from "vitest";
import type * as document from "../../src/report/document/index.ts";
import { framesOf } from "../../src/report/document/index.ts";
import { reportText } from "../../src/report/render/index.ts";

const readSource = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, "utf8") : undefined);

/** How many crash states there are is another test's business. */
const withoutCounts = (text: string): string =>
  text
    .replaceAll(/\d+ crash states? shows? it/g, "N crash states show it")
    // Where a hang is given up is as good as any other place of its loop.
    .replaceAll(/(recovery\s+hang\s+at\s+[\w.]+:)\d+/g, "$1N")
    .replaceAll(/within \d+ instructions( at [\w.]+:)?(?:\d+)?/g, (_, at: string | undefined) =>
      at === undefined ? "within N instructions" : `within N instructions${at}N`,
    );

export const storyOf = (report: document.Report): string =>
  `${withoutCounts(reportText(report, { readSource, width: 80 }))}\n`;

/** `make golden UPDATE=1` writes them again. */
export const expectStory = (report: document.Report, name: string): Promise<void> =>
  expect(storyOf(report)).toMatchFileSnapshot(`stories/${name}.txt`);

/** The lines that `#if` and `#endif` enclose where a guest's mistake is named. */
export function mistakeLines(source: string, mistake: string): readonly (readonly [from: number, to: number])[] {
  const ranges: [number, number][] = [];
  const open: { readonly line: number; readonly named: boolean }[] = [];
  for (const [index, text] of readFileSync(source, "utf8").split("\n").entries()) {
    const named = new RegExp(`\\bBUG_${mistake}\\b`).test(text);
    if (/^\s*#\s*if/.test(text)) open.push({ line: index + 1, named });
    else if (/^\s*#\s*elif/.test(text) && named) open.push({ line: open.pop()!.line, named });
    else if (/^\s*#\s*endif/.test(text)) {
      const { line, named: isIt } = open.pop()!;
      if (isIt) ranges.push([line, index + 1]);
    } else if (named) ranges.push([index + 1, index + 1]);
  }
  return ranges;
}

type Range = readonly [from: number, to: number];
const away = (line: number, [from, to]: Range): number => (line < from ? from - line : line > to ? line - to : 0);

/** The lines of a source file that a headline names: "list.c:31", or the first and the last of "list.c:31-36". */
const namedLines = (headline: string, source: string): readonly number[] =>
  [...headline.matchAll(/([\w.-]+):(\d+)(?:-(\d+))?/g)].flatMap(([, file, ...lines]) =>
    file === basename(source) ? lines.filter((line) => line !== undefined).map(Number) : [],
  );

/** What a headline says of the program, without what recovery did with it. */
export const ofProgram = (headline: string): string => headline.replace(/, even with every store kept: .*/, "");

/**
 * How far the lines are from the mistake that a finding's headline names, or a part of that: not at all where the mistake lies between
 * two of them in one function.
 */
export function headlineDistance(
  report: document.Report,
  { places }: document.Finding,
  headline: string,
  source: string,
  mistake: string,
): number {
  const named = namedLines(headline, source);
  const functionAt = (line: number) =>
    places
      .flatMap(({ place }) => framesOf(report, place))
      .find((frame) => frame.line === line && basename(frame.file ?? "") === basename(source))?.function;
  const isAround = ([from, to]: Range, low: number, high: number) =>
    low <= from && to <= high && functionAt(low) !== undefined && functionAt(low) === functionAt(high);
  const ranges = mistakeLines(source, mistake);
  const pairs = named.flatMap((one) => named.map((other) => [one, other] as const));
  if (pairs.some(([low, high]) => ranges.some((range) => isAround(range, low, high)))) return 0;
  return Math.min(...named.flatMap((line) => ranges.map((range) => away(line, range))));
}

/** Lines of a source file that compute a value and store nothing: a compiler may give a store their line. */
const onlyComputes = /^[^=]*\breturn\b[^=]*[%+/-][^=]*;\s*\}?$/;

/** No line that the headline names is one at which nothing is stored. */
export function expectStoringLines({ headline }: document.Finding, source: string): void {
  const lines = readFileSync(source, "utf8").split("\n");
  for (const [, file, line] of headline.matchAll(/([\w.-]+):(\d+)/g))
    if (file === basename(source)) expect(lines[Number(line) - 1], headline).not.toMatch(onlyComputes);
}

/** A headline names lines of the user's, and nothing of a library. */
export function expectOnUsersLines({ headline }: document.Finding): void {
  expect(headline).toMatch(/\b[\w-]+\.(c|cpp|h|hpp|rs):\d+/);
  expect(headline).not.toMatch(/\((?:lib|ld-)|\.so\b|\+0x/);
}

/**
 * Where recovery reads what broke it is found by looking for that alone; the page's list of all that recovery reads knows by the store
 * that each read saw. They agree, unless the state that is told has the store no longer.
 */
export function expectSameRead(report: document.Report, { places, reads = [] }: document.Finding): void {
  const read = places.find(({ role, says }) => role === "read" && says.startsWith("recovery reads"));
  const listed = reads.find(({ store }) => store === places[0]!.event);
  if (read !== undefined && listed !== undefined)
    expect(framesOf(report, read.place)).toEqual(framesOf(report, listed.place));
}

/** Each mistake is one error, but for a tenth of them, or one of a few, which are one more. */
export function expectOneEach(errors: readonly number[]): void {
  for (const count of errors) expect([1, 2]).toContain(count);
  expect(errors.filter((count) => count !== 1).length).toBeLessThanOrEqual(Math.max(1, errors.length / 10));
}
