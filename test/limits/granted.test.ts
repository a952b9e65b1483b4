/** What a guest may put on the host below `--rw` is bounded as what it keeps in memory is. */
import { expect, test } from "vitest";
import { MemoryFiles } from "../../src/host/index.ts";
import { AT, defaultFileLimits, errno, type GuestFiles, O } from "../../src/machine/files/index.ts";
import { makeFiles } from "../files/support.ts";

const kilobytes = (count: number) => new Uint8Array(count * 1024).fill(1);

function granted(limits: Partial<typeof defaultFileLimits>) {
  const host = new MemoryFiles({ "/out/old": kilobytes(4), "/out/folder": { directory: true } });
  const told: string[] = [];
  const { files } = makeFiles(host, {
    grants: ["/out"],
    limits: { ...defaultFileLimits, ...limits },
    limitReached: (what) => told.push(what),
  });
  return { host, files, told };
}

const open = (files: GuestFiles, name: string) => files.open(AT.FDCWD, `/out/${name}`, O.RDWR | O.CREAT, 0o600);

test("bytes: files grow up to the limit, and what is cut off or removed may be written again", () => {
  const { host, files, told } = granted({ bytes: 10 * 1024 });
  const fd = open(files, "new");
  expect(files.write(fd, kilobytes(8))).toBe(8 * 1024);
  expect(files.write(fd, kilobytes(8))).toBe(2 * 1024);
  expect(files.write(fd, kilobytes(1))).toBe(-errno.ENOSPC);
  expect(files.ftruncate(open(files, "other"), 2 ** 40)).toBe(-errno.ENOSPC);
  expect(files.write(fd, kilobytes(4), 0)).toBe(4 * 1024);
  expect(told.length).toBeGreaterThan(0);
  expect(files.ftruncate(fd, 1024)).toBe(0);
  expect(files.write(open(files, "old"), kilobytes(16))).toBe((4 + 9) * 1024);
  files.close(fd);
  expect(files.unlink(AT.FDCWD, "/out/new", 0)).toBe(0);
  expect(files.write(open(files, "last"), kilobytes(16))).toBe(1024);
  expect(host.contents("/out/old")?.length).toBe(13 * 1024);
});

test("bytes: what was there before gives no room when it goes, nor does one of two names", () => {
  const { files } = granted({ bytes: 4096 });
  expect(files.unlink(AT.FDCWD, "/out/old", 0)).toBe(0);
  const fd = open(files, "a");
  expect(files.write(fd, kilobytes(8))).toBe(4096);
  files.close(fd);
  expect(files.link(AT.FDCWD, "/out/a", AT.FDCWD, "/out/b", 0)).toBe(0);
  expect(files.unlink(AT.FDCWD, "/out/b", 0)).toBe(0);
  expect(files.write(open(files, "c"), kilobytes(1))).toBe(-errno.ENOSPC);
});

test("files: names of any kind count, and those that went count no more", () => {
  const { files, told } = granted({ files: 3 });
  files.close(open(files, "a"));
  expect(files.mkdir(AT.FDCWD, "/out/d", 0o700)).toBe(0);
  expect(files.symlink("a", AT.FDCWD, "/out/s")).toBe(0);
  expect(open(files, "b")).toBe(-errno.ENOSPC);
  expect(files.link(AT.FDCWD, "/out/a", AT.FDCWD, "/out/l", 0)).toBe(-errno.ENOSPC);
  expect(told).toContain("files");
  expect(files.unlink(AT.FDCWD, "/out/d", AT.REMOVEDIR)).toBe(0);
  expect(files.rename(AT.FDCWD, "/out/a", AT.FDCWD, "/out/s", 0)).toBe(0);
  for (const name of ["x", "y"]) expect(open(files, name)).toBeGreaterThan(0);
  expect(open(files, "z")).toBe(-errno.ENOSPC);
});
