/** Versions that were sent to another thread are the versions that were sent. */
import { expect, test } from "vitest";
import { makeFiles } from "../../../test/files/support.ts";
import { below, seedRandom } from "../../base/index.ts";
import { MemoryFiles } from "../../host/index.ts";
import { exportFiles } from "../../machine/files/index.ts";
import { FileHistory } from "./files.ts";
import { KnownVersions, SharedVersions } from "./known-versions.ts";

const pageBytes = 4096;
const seed = 5;

test(`contents arrive as they were, shared pages once (seed ${seed})`, () => {
  const random = seedRandom(seed);
  const host = new MemoryFiles({ "/tmp": { directory: true }, "/tmp/low": new Uint8Array(3 * pageBytes).fill(9) });
  const { files } = makeFiles(host);
  const history = new FileHistory();
  history.begin({
    noteFiles: () => files.snapshot(),
    poolNames: { known: new Map(), gone: new Set() },
    turnFilesBack: (note) => files.restore(note),
    exportFiles: (known) => exportFiles(files, (inode) => files.pathOf(inode), known),
    fileContents: (path) => files.contentsOf(files.lookup(path) as Parameters<typeof files.contentsOf>[0]),
    readContents: (contents, offset, into) => files.readValue(contents, offset, into),
  });
  const expected: Uint8Array[][] = [[new Uint8Array(3 * pageBytes).fill(9), new Uint8Array()]];
  const paths = ["/tmp/low", "/tmp/fresh"];
  const descriptors = paths.map((path) => files.open(-100, path, 0o102, 0o644));
  expect(Math.min(...descriptors)).toBeGreaterThan(2);
  for (let seq = 1; seq <= 60; seq++) {
    const which = below(random, 2);
    const offset = below(random, 20 * pageBytes);
    files.write(descriptors[which]!, new Uint8Array(100).fill(seq), offset);
    history.note(seq);
    const now = expected.at(-1)!.map((bytes) => bytes.slice());
    const grown = new Uint8Array(Math.max(now[which]!.length, offset + 100));
    grown.set(now[which]!);
    grown.fill(seq, offset, offset + 100);
    now[which] = grown;
    expected.push(now);
  }
  history.end();
  const shared = new SharedVersions(history);
  const known = new KnownVersions(history.starts);
  for (let first = 0; first + 8 <= expected.length; first += 4) {
    const versions = Array.from({ length: 8 }, (_, i) => first + i);
    const sent = shared.take(versions);
    expect(sent.chunks.length).toBeLessThan(3);
    known.know(structuredClone(sent));
    for (const version of versions.slice(1))
      for (const [at, path] of paths.entries()) {
        const entry = known.read(version).get(path);
        const wanted = expected[version]![at]!;
        const bytes = new Uint8Array(wanted.length);
        if (entry?.kind === "file") files.readValue(entry.contents, 0, bytes);
        else if (wanted.length > 0) files.readValue(history.contentsAt(path, version)!, 0, bytes);
        expect(Buffer.compare(bytes, wanted), `${path} in version ${version}`).toBe(0);
      }
  }
});
