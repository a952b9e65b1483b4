/** Varied lines against the question itself: does the file hold one thing for a line at every point before its first store, and then too? */
import { expect, it } from "vitest";
import { below, pick, type RandomState, seedRandom } from "../../base/index.ts";
import { type FileContents, type FileVersion, withPages } from "../../machine/index.ts";
import { LineReader } from "../states/line-reader.ts";
import { variedLines } from "./varied-lines.ts";

const [pageBytes, lineBytes] = [4096, 64];
const pages = 3;
const lines = (pages * pageBytes) / lineBytes;
const pointCount = 12;
const seed = 7;

const ground = { size: pages * pageBytes, lower: undefined, lowerSize: 0, holes: [], reserved: [] } as unknown as Omit<
  FileContents,
  "pages"
>;

/** Only the values' own pages: nothing lies below them. */
const bytesOf = (contents: FileContents): Uint8Array => {
  const bytes = new Uint8Array(pages * pageBytes);
  for (const [page, own] of ownPages.get(contents)!.entries()) bytes.set(own, page * pageBytes);
  return bytes;
};
const ownPages = new Map<FileContents, readonly Uint8Array[]>();

function contentsWith(own: readonly Uint8Array[]): FileContents {
  const contents = withPages(ground, [...own.entries()]);
  ownPages.set(contents, own);
  return contents;
}

/** Pages that do not change stay the same ones, or are copies. */
function changed(random: RandomState, before: readonly Uint8Array[]): readonly Uint8Array[] {
  return before.map((page) => {
    const kind = below(random, 3);
    if (kind === 0) return page;
    const copy = page.slice();
    for (let left = kind === 1 ? 0 : 1 + below(random, 3); left > 0; left--) copy[below(random, 4) * lineBytes]! ^= 1;
    return copy;
  });
}

function drawn(random: RandomState) {
  const versions: { version: number; from: number; contents: FileContents }[] = [];
  let own: readonly Uint8Array[] = Array.from({ length: pages }, () => new Uint8Array(pageBytes));
  for (let from = 0; from < pointCount; from += 1 + below(random, 5)) {
    versions.push({ version: versions.length, from, contents: contentsWith(own) });
    own = changed(random, own);
  }
  const stored = [0, 1, 2, 3, 64, 65, 66, 128].map((index) => {
    const first = below(random, pointCount);
    const held = versions.findLast(({ from }) => from < first) ?? versions[0]!;
    const base = bytesOf(held.contents).slice(index * lineBytes, (index + 1) * lineBytes);
    if (below(random, 4) === 0) base[0]! ^= 1;
    return { index, first, base };
  });
  return { versions, stored };
}

function expected({ versions, stored }: ReturnType<typeof drawn>): readonly number[] {
  if (versions.length === 1) return [];
  return Array.from({ length: lines }, (_, index) => index).filter((index) => {
    const line = stored.find((each) => each.index === index);
    const seen = versions
      .filter(({ from }) => line === undefined || from < line.first)
      .map(({ contents }) =>
        bytesOf(contents)
          .slice(index * lineBytes, (index + 1) * lineBytes)
          .join(),
      );
    const held = line !== undefined && seen.length > 0 ? [...seen, line.base.join()] : seen;
    return new Set(held).size > 1;
  });
}

function pointsOf({ stored }: ReturnType<typeof drawn>) {
  return {
    tables: { paths: ["pool"] },
    lines: stored.length,
    place: (line: number) => ({ file: 0, index: stored[line]!.index }),
    lineAt: (_file: number, index: number) => {
      const line = stored.findIndex((each) => each.index === index);
      return line < 0 ? undefined : line;
    },
    firstStored: (line: number) => stored[line]!.first,
    base: (line: number) => line,
    bytes: (content: number) => stored[content]!.base,
  };
}

function variedOf(drawing: ReturnType<typeof drawn>, path = "pool") {
  const history = {
    read: (version: number): FileVersion =>
      new Map([[path, { kind: "file", number: version, mode: 0, contents: drawing.versions[version]!.contents }]]),
    reader: () =>
      new LineReader({
        readContents: (contents, offset, into) => into.set(ownPages.get(contents)![offset / pageBytes]!),
      }),
  };
  return variedLines(pointsOf(drawing), drawing.versions, history)[0];
}

it("agrees with what every point's version holds", () => {
  const random = seedRandom(seed);
  let varied = 0;
  for (let i = 0; i < 60; i++) {
    const drawing = drawn(random);
    const found = variedOf(drawing);
    expect(found, `seed ${seed}, drawing ${i}`).toEqual(expected(drawing));
    varied += found!.length;
  }
  expect(varied).toBeGreaterThan(0);
});

it("takes all lines of a file that is gone at a point", () => {
  const drawing = drawn(seedRandom(seed));
  const gone = pick(seedRandom(seed), drawing.versions);
  const history = {
    read: (version: number): FileVersion =>
      new Map([
        [
          "pool",
          version === gone.version
            ? { kind: "removed" as const, number: version }
            : { kind: "file" as const, number: version, mode: 0, contents: drawing.versions[version]!.contents },
        ],
      ]),
    reader: () => new LineReader({ readContents: () => {} }),
  };
  expect(variedLines(pointsOf(drawing), drawing.versions, history)).toEqual(["all"]);
});
