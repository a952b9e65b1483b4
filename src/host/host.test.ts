/** The real files and streams of this process behind their ports, and the in-memory twin behaving alike. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setImmediate } from "node:timers/promises";
import * as v8 from "node:v8";
import * as vm from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HostFiles, InputError } from "../base/index.ts";
import { MemoryFiles, RealFiles, ReplayableInput, ScratchFile, writeAll } from "./index.ts";

let base = "";
beforeAll(() => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), "blackout-host-"));
});
afterAll(() => fs.rmSync(base, { recursive: true, force: true }));

/** The same story told to both. */
function story(host: HostFiles, root: string): readonly unknown[] {
  const bytes = new TextEncoder().encode("hello");
  const into = new Uint8Array(8);
  const kindAndSize = (name: string) => {
    const stat = host.lstat(`${root}/${name}`);
    return typeof stat === "number"
      ? stat
      : `${stat.kind} ${stat.kind === "directory" ? 0 : stat.size} ${stat.nlink > 0}`;
  };
  return [
    host.mkdir(`${root}/d`, 0o755),
    host.mkdir(`${root}/d`, 0o755),
    host.create(`${root}/d/f`, 0o600),
    host.create(`${root}/d/f`, 0o600),
    host.write(`${root}/d/f`, 3, bytes),
    host.read(`${root}/d/f`, 1, into),
    [...into],
    kindAndSize("d/f"),
    kindAndSize("d"),
    kindAndSize("nothing"),
    host.link(`${root}/d/f`, `${root}/d/g`),
    host.symlink("d/f", `${root}/l`),
    host.readlink(`${root}/l`),
    kindAndSize("l"),
    host.truncate(`${root}/d/f`, 4),
    host.read(`${root}/d/g`, 0, into),
    host.rename(`${root}/d/f`, `${root}/d/h`),
    host.read(`${root}/d/f`, 0, into),
    host.rmdir(`${root}/d`),
    host.unlink(`${root}/d/g`),
    host.unlink(`${root}/d/h`),
    host.unlink(`${root}/d/h`),
    host.rmdir(`${root}/d`),
    host.readdir(root),
  ];
}

test("the real host and the one in memory tell the same story", () => {
  const real = path.join(base, "story");
  fs.mkdirSync(real);
  expect(story(new MemoryFiles({ "/story": { directory: true } }), "/story")).toEqual(story(new RealFiles(), real));
});

test("names that are not UTF-8 survive", () => {
  const host = new RealFiles();
  const odd = `${base}/\xff\xfe`;
  expect(host.create(odd, 0o600)).toBe(0);
  const names = host.readdir(base) as readonly { name: string }[];
  expect(names.map(({ name }) => name)).toContain("\xff\xfe");
  expect(host.unlink(odd)).toBe(0);
});

test("a FIFO does not hang the reader, and a link is not followed", () => {
  const host = new RealFiles();
  execFileSync("mkfifo", [path.join(base, "fifo")]);
  fs.symlinkSync("/etc/passwd", path.join(base, "link"));
  expect(host.read(`${base}/fifo`, 0, new Uint8Array(1))).toBe(-22);
  expect(host.read(`${base}/link`, 0, new Uint8Array(1))).toBe(-40);
  expect(host.write(`${base}/link`, 0, new Uint8Array(1))).toBe(-40);
});

test("input can be read again from any offset", () => {
  const file = path.join(base, "input");
  fs.writeFileSync(file, "0123456789");
  const fd = fs.openSync(file, "r");
  const input = new ReplayableInput(fd);
  const read = (offset: number, length: number) => new TextDecoder().decode(input.readInput(offset, length));
  expect([read(0, 4), read(4, 100), read(10, 5), read(2, 3)]).toEqual(["0123", "456789", "", "234"]);
  fs.closeSync(fd);
});

test("all bytes reach a slow reader, and a closed one is noticed", () => {
  const file = path.join(base, "output");
  const fd = fs.openSync(file, "w");
  expect(writeAll(fd, new Uint8Array(100_000).fill(1))).toBe(true);
  fs.closeSync(fd);
  expect(fs.statSync(file).size).toBe(100_000);
});

test("a scratch file gives back what was appended, and has no name", () => {
  const scratch = ScratchFile.open(base);
  expect(fs.readdirSync(base).filter((name) => name.startsWith("blackout-"))).toEqual([]);
  scratch.append(Uint8Array.of(1, 2, 3));
  scratch.append(Uint8Array.of(4, 5));
  const into = new Uint8Array(3);
  scratch.read(1, into);
  expect([scratch.size, ...into]).toEqual([5, 2, 3, 4]);
  scratch.close();
  expect(() => scratch.append(into)).toThrow(/^A scratch file in .* cannot be used \(EBADF\): make room/);
  expect(() => ScratchFile.open(path.join(base, "missing"))).toThrow(InputError);
});

test("whoever makes one tree after another runs out of no descriptors", async () => {
  const file = path.join(base, "looked-at");
  fs.writeFileSync(file, "hello");
  const open = () => fs.readdirSync("/proc/self/fd").length;
  const before = open();
  const count = 200;
  for (let i = 0; i < count; i++) new RealFiles().read(file, 0, new Uint8Array(5));
  v8.setFlagsFromString("--expose-gc");
  const collect = vm.runInNewContext("gc") as () => void;
  while (open() > before + count / 2) {
    collect();
    await setImmediate();
  }
});
