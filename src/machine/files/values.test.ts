/** Contents as values, against plain arrays of bytes: whatever becomes of the files they were taken from, they stay. */
import { expect, test } from "vitest";
import { makeFiles } from "../../../test/files/support.ts";
import { below, pick, seedRandom } from "../../base/index.ts";
import { MemoryFiles } from "../../host/index.ts";
import { AT, FALLOC, O } from "./flags.ts";
import { dataIn, type FileContents, pagesIn, withPages } from "./values.ts";

const PAGE = 4096;
const hostBytes = Uint8Array.from({ length: 5 * PAGE + 100 }, (_, at) => 1 + (at % 250));

/** Comparing bytes one by one takes the test runner long. */
const same = (left: Uint8Array, right: Uint8Array): boolean => Buffer.compare(left, right) === 0;

/** A file in a tree of its own, beside what it should hold. */
class Twin {
  readonly files = makeFiles(new MemoryFiles({ "/pool": hostBytes.slice(), "/tmp": { directory: true } })).files;
  readonly path: string;
  readonly fd: number;
  bytes: Uint8Array;

  constructor(path: string) {
    this.path = path;
    this.fd = this.files.open(AT.FDCWD, path, O.CREAT | O.RDWR, 0o644);
    this.bytes = path === "/pool" ? hostBytes.slice() : new Uint8Array();
  }

  resize(size: number): void {
    const grown = new Uint8Array(size);
    grown.set(this.bytes.subarray(0, size));
    this.bytes = grown;
  }
  write(offset: number, bytes: Uint8Array): void {
    expect(this.files.write(this.fd, bytes, offset)).toBe(bytes.length);
    if (offset + bytes.length > this.bytes.length) this.resize(offset + bytes.length);
    this.bytes.set(bytes, offset);
  }
  truncate(size: number): void {
    expect(this.files.ftruncate(this.fd, size)).toBe(0);
    this.resize(size);
  }
  punch(offset: number, length: number): void {
    expect(this.files.fallocate(this.fd, FALLOC.PUNCH_HOLE | FALLOC.KEEP_SIZE, offset, length)).toBe(0);
    this.bytes.fill(0, offset, offset + length);
  }
  take(): FileContents {
    return this.files.contentsOf(this.files.lookup(this.path) as Parameters<typeof this.files.contentsOf>[0]);
  }
  adopt(contents: FileContents, bytes: Uint8Array): void {
    expect(this.files.adopt(this.path, contents)).toBe(0);
    this.bytes = bytes.slice();
  }
  /** What the guest reads. */
  read(): Uint8Array {
    const into = new Uint8Array(this.bytes.length + 10);
    return into.subarray(0, this.files.read(this.fd, into, 0) as number);
  }
}

function readWhole({ files }: Twin, contents: FileContents): Uint8Array {
  const bytes = new Uint8Array(contents.size);
  files.readValue(contents, 0, bytes);
  return bytes;
}

/** The value with nothing but what dataIn names. */
function readData({ files }: Twin, contents: FileContents): Uint8Array {
  const bytes = new Uint8Array(contents.size);
  for (const [from, to] of dataIn(contents))
    files.readValue(contents, from * PAGE, bytes.subarray(from * PAGE, to * PAGE));
  return bytes;
}

test.each([1, 2, 3, 4, 5, 6])("values stay what they were (seed %i)", (seed) => {
  const random = seedRandom(seed);
  const twins = [new Twin("/pool"), new Twin("/pool"), new Twin("/tmp/fresh")];
  const kept: { readonly contents: FileContents; readonly bytes: Uint8Array }[] = [];
  const offset = () => below(random, 9 * PAGE);
  for (let step = 0; step < 300; step++) {
    const twin = pick(random, twins);
    const deeds = [
      () => twin.write(offset(), new Uint8Array(1 + below(random, 2 * PAGE)).fill(1 + below(random, 255))),
      () => twin.truncate(offset()),
      () => twin.punch(offset(), 1 + below(random, 4 * PAGE)),
      () => twin.files.restore(twin.files.snapshot()),
      () => kept.push({ contents: twin.take(), bytes: twin.bytes.slice() }),
      () => {
        const { contents, bytes } =
          kept.length === 0 ? { contents: twin.take(), bytes: twin.bytes } : pick(random, kept);
        const { pages: _, ...rest } = contents;
        twin.adopt(below(random, 2) === 0 ? contents : withPages(rest, pagesIn(contents)), bytes);
      },
    ];
    pick(random, deeds)();
    expect(same(twin.read(), twin.bytes), `step ${step}`).toBe(true);
  }
  expect(kept.length).toBeGreaterThan(10);
  for (const { contents, bytes } of kept) {
    expect(same(readWhole(pick(random, twins), contents), bytes)).toBe(true);
    expect(same(readData(pick(random, twins), contents), bytes)).toBe(true);
  }
});

test("a file of 2^40 bytes costs what was written of it", () => {
  const twin = new Twin("/tmp/fresh");
  twin.files.ftruncate(twin.fd, 2 ** 40);
  twin.files.write(twin.fd, new Uint8Array([7]), 2 ** 39);
  const contents = twin.take();
  expect([...dataIn(contents)]).toEqual([[2 ** 27, 2 ** 27 + 1]]);
  expect(twin.files.usage().bytes).toBe(PAGE);
  expect(twin.files.lseek(twin.fd, 0, 3)).toBe(2 ** 39);
  expect(twin.files.lseek(twin.fd, 2 ** 39, 4)).toBe(2 ** 39 + PAGE);
  const punched = twin.files.fallocate(twin.fd, FALLOC.PUNCH_HOLE | FALLOC.KEEP_SIZE, 1, 2 ** 41);
  expect([punched, twin.files.usage().bytes]).toEqual([0, 0]);
  expect(twin.files.ftruncate(twin.fd, 0)).toBe(0);
});
