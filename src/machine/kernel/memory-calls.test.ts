/** The address space as programs see it. */
import { describe, expect, test } from "vitest";
import { Harness } from "../../../test/kernel/harness.ts";
import { errno } from "../files/index.ts";

const PRIVATE_ANONYMOUS = 0x22;
const [SHARED, FIXED, NOREPLACE] = [1, 0x10, 0x10_0000] as const;
const O_RDWR = 2;

function withFile(contents: string) {
  const harness = new Harness({ entries: { "/tmp/file": contents } });
  const fd = harness.call("open", harness.text("/tmp/file"), O_RDWR, 0);
  expect(fd).toBe(3);
  return { harness, fd, memory: harness.memory };
}

describe("anonymous mappings", () => {
  test("are placed downwards, zero and apart", () => {
    const harness = new Harness();
    const first = harness.call("mmap", 0, 0x3000, 3, PRIVATE_ANONYMOUS, -1, 0);
    const second = harness.call("mmap", 0, 100, 3, PRIVATE_ANONYMOUS, -1, 0);
    expect(second).toBe(first - 0x1000);
    expect(harness.memory.canWrite(second, 0x4000)).toBe(true);
    expect(harness.call("munmap", first + 0x1000, 0x1000)).toBe(0);
    expect(harness.memory.canRead(first + 0x1000, 1)).toBe(false);
    expect(harness.memory.canRead(first + 0x2000, 1)).toBe(true);
  });

  test("wishes are granted when free, orders always, and NOREPLACE only when free", () => {
    const harness = new Harness();
    const at = 0x5000_0000;
    expect(harness.call("mmap", at, 0x2000, 3, PRIVATE_ANONYMOUS, -1, 0)).toBe(at);
    expect(harness.call("mmap", at, 0x2000, 3, PRIVATE_ANONYMOUS, -1, 0)).not.toBe(at);
    expect(harness.call("mmap", at, 0x1000, 3, PRIVATE_ANONYMOUS | NOREPLACE, -1, 0)).toBe(-errno.EEXIST);
    harness.memory.load(at, new Uint8Array([1]));
    expect(harness.call("mmap", at, 0x1000, 3, PRIVATE_ANONYMOUS | FIXED, -1, 0)).toBe(at);
    expect(harness.memory.bytes[at]).toBe(0);
  });

  test("what the machine does not have is refused", () => {
    const harness = new Harness();
    expect(harness.call("mmap", 0, 2n ** 40n, 0, PRIVATE_ANONYMOUS | 0x4000, -1, 0)).toBe(-errno.ENOMEM);
    expect(harness.call("mmap", 2n ** 44n, 0x1000, 3, PRIVATE_ANONYMOUS | FIXED, -1, 0)).toBe(-errno.ENOMEM);
    expect(harness.notices[0]).toMatch(/insists on memory at 0x100000000000/);
    expect(harness.call("mmap", 0, 0, 3, PRIVATE_ANONYMOUS, -1, 0)).toBe(-errno.EINVAL);
    expect(harness.call("mmap", 0x1000, 0x1000, 3, PRIVATE_ANONYMOUS | FIXED, -1, 0)).toBe(-errno.EPERM);
    expect(harness.call("mmap", 0, 0x1000, 3, 0x20, -1, 0)).toBe(-errno.EINVAL);
  });

  test("the memory limit holds and is reported", () => {
    const harness = new Harness({ kernel: { limits: { threads: 4, memory: 16 << 20, instructions: 1e9 } } });
    expect(harness.call("mmap", 0, 32 << 20, 3, PRIVATE_ANONYMOUS, -1, 0)).toBe(-errno.ENOMEM);
    expect(harness.notices[0]).toMatch(/limit of 16777216 bytes/);
  });

  test("mprotect stops at the first hole", () => {
    const harness = new Harness();
    const at = harness.call("mmap", 0, 0x3000, 3, PRIVATE_ANONYMOUS, -1, 0);
    harness.call("munmap", at + 0x1000, 0x1000);
    expect(harness.call("mprotect", at, 0x3000, 1)).toBe(-errno.ENOMEM);
    expect(harness.memory.canWrite(at, 1)).toBe(false);
    expect(harness.memory.canWrite(at + 0x2000, 1)).toBe(true);
    expect(harness.call("mprotect", at + 1, 0x1000, 1)).toBe(-errno.EINVAL);
  });

  test("MADV_DONTNEED empties pages", () => {
    const harness = new Harness();
    harness.memory.load(harness.scratch, new Uint8Array([1, 2]));
    expect(harness.call("madvise", harness.scratch, 0x1000, 4)).toBe(0);
    expect(harness.memory.bytes[harness.scratch]).toBe(0);
    expect(harness.memory.canWrite(harness.scratch, 1)).toBe(true);
  });
});

describe("mremap", () => {
  test("grows in place when it can, moves when it may", () => {
    const harness = new Harness();
    const top = harness.call("mmap", 0x5000_0000, 0x1000, 3, PRIVATE_ANONYMOUS, -1, 0);
    expect(harness.call("mremap", top, 0x1000, 0x3000, 0)).toBe(top);
    harness.call("mmap", top + 0x3000, 0x1000, 3, PRIVATE_ANONYMOUS | FIXED, -1, 0);
    harness.memory.load(top, new Uint8Array([9]));
    expect(harness.call("mremap", top, 0x3000, 0x8000, 0)).toBe(-errno.ENOMEM);
    const moved = harness.call("mremap", top, 0x3000, 0x8000, 1);
    expect(moved).not.toBe(top);
    expect(harness.memory.bytes[moved]).toBe(9);
    expect(harness.memory.canRead(top, 1)).toBe(false);
    expect(harness.call("mremap", moved, 0x8000, 0x1000, 0)).toBe(moved);
    expect(harness.memory.canRead(moved + 0x1000, 1)).toBe(false);
    expect(harness.call("mremap", 0x6000_0000, 0x1000, 0x1000, 1)).toBe(-errno.EFAULT);
  });
});

test("the break grows, shrinks and never meets a mapping", () => {
  const harness = new Harness();
  const start = harness.call("brk", 0);
  expect(harness.call("brk", start + 0x1234)).toBe(start + 0x1234);
  expect(harness.memory.canWrite(start, 0x2000)).toBe(true);
  expect(harness.call("brk", start + 10)).toBe(start + 10);
  expect(harness.memory.canRead(start + 0x1000, 1)).toBe(false);
  harness.call("mmap", start + 0x4000, 0x1000, 3, PRIVATE_ANONYMOUS | FIXED, -1, 0);
  expect(harness.call("brk", start + 0x4000)).toBe(start + 10);
});

describe("file mappings", () => {
  test("private ones show the file and keep changes to themselves", () => {
    const { harness, fd, memory } = withFile("hello");
    const at = harness.call("mmap", 0, 0x1000, 3, 2, fd, 0);
    expect(harness.textAt(at, 6)).toBe("hello\0");
    memory.write(at, new TextEncoder().encode("J"));
    harness.call("munmap", at, 0x1000);
    expect(harness.call("pread64", fd, harness.scratch, 5, 0)).toBe(5);
    expect(harness.textAt(harness.scratch, 5)).toBe("hello");
  });

  test("shared ones, read and write are one thing", () => {
    const { harness, fd, memory } = withFile("hello");
    const at = harness.call("mmap", 0, 0x1000, 3, SHARED, fd, 0);
    memory.write(at, new TextEncoder().encode("J"));
    expect(harness.call("pread64", fd, harness.scratch, 5, 0)).toBe(5);
    expect(harness.textAt(harness.scratch, 5)).toBe("Jello");
    expect(harness.call("pwrite64", fd, harness.text("XY"), 2, 3)).toBe(2);
    expect(harness.textAt(at, 5)).toBe("JelXY");
    harness.call("munmap", at, 0x1000);
    harness.call("pread64", fd, harness.scratch, 5, 0);
    expect(harness.textAt(harness.scratch, 5)).toBe("JelXY");
  });

  test("two shared mappings of a page stay equal, also after one goes", () => {
    const { harness, fd, memory } = withFile("hello");
    const one = harness.call("mmap", 0, 0x1000, 3, SHARED, fd, 0);
    const two = harness.call("mmap", 0, 0x1000, 3, SHARED, fd, 0);
    expect([memory.canRead(one, 1), harness.kernel.aliasesOf(one / 4096)]).toEqual([true, []]);
    expect([memory.canRead(two, 1), harness.kernel.aliasesOf(one / 4096)]).toEqual([true, [two / 4096]]);
    memory.write(one, new TextEncoder().encode("J"));
    expect(harness.textAt(two, 5)).toBe("Jello");
    harness.call("munmap", two, 0x1000);
    expect(harness.kernel.aliasesOf(one / 4096)).toEqual([]);
    expect(memory.infoOf(one / 4096) & 64).toBe(0);
  });

  test("writable shared ones are persistent where the predicate says so", () => {
    const changes: unknown[] = [];
    const harness = new Harness({
      entries: { "/tmp/pool": "p", "/tmp/log": "l" },
      kernel: { isPersistent: (path) => path === "/tmp/pool" },
      hooks: { persistentChanged: (...change) => changes.push(change) },
    });
    const pool = harness.call("open", harness.text("/tmp/pool"), O_RDWR, 0);
    const log = harness.call("open", harness.text("/tmp/log"), O_RDWR, 0);
    const at = harness.call("mmap", 0, 0x1000, 3, 0x8_0003, pool, 0);
    const other = harness.call("mmap", 0, 0x1000, 3, SHARED, log, 0);
    expect([harness.memory.canRead(at, 1), harness.memory.canRead(other, 1)]).toEqual([true, true]);
    expect([harness.memory.infoOf(at / 4096) & 8, harness.memory.infoOf(other / 4096) & 8]).toEqual([8, 0]);
    const MS_ASYNC = 1;
    harness.call("msync", at, 0x1000, MS_ASYNC);
    harness.call("fsync", log);
    harness.call("msync", at, 0x1000, 4);
    harness.call("fdatasync", pool);
    harness.call("sync");
    harness.call("munmap", at, 0x1000);
    expect(changes).toEqual(["map", "sync", "sync", "sync", "unmap"].map((what) => [what, at, 0x1000, "/tmp/pool", 0]));
  });

  test("MAP_SYNC cannot be had without direct access", () => {
    const harness = new Harness({ entries: { "/tmp/pool": "p" }, kernel: { directAccess: false } });
    const pool = harness.call("open", harness.text("/tmp/pool"), O_RDWR, 0);
    expect(harness.call("mmap", 0, 0x1000, 3, 0x8_0003, pool, 0)).toBe(-95);
    expect(harness.call("mmap", 0, 0x1000, 3, SHARED, pool, 0)).toBeGreaterThan(0);
  });

  test("pages behind the end fault until the file grows, and again when it shrinks", () => {
    const { harness, fd, memory } = withFile("x");
    const at = harness.call("mmap", 0, 0x3000, 3, SHARED, fd, 0);
    expect([memory.canRead(at, 1), memory.canRead(at + 0x1000, 1)]).toEqual([true, false]);
    expect(harness.call("ftruncate", fd, 0x1800)).toBe(0);
    expect(memory.canWrite(at + 0x1000, 0x1000)).toBe(true);
    memory.write(at + 0x1000, new Uint8Array([5]));
    harness.call("ftruncate", fd, 1);
    harness.call("ftruncate", fd, 0x2000);
    expect(memory.bytes[at + 0x1000]).toBe(0);
    expect(memory.canRead(at + 0x2000, 1)).toBe(false);
  });

  test("a file that does not fit is refused, and the user is told", () => {
    const { harness, fd } = withFile("x");
    expect(harness.call("ftruncate", fd, 2 ** 40)).toBe(0);
    for (const length of [2 ** 32 - 2 ** 20, 2 ** 40])
      expect(harness.call("mmap", 0, length, 3, SHARED, fd, 0)).toBe(-errno.ENOMEM);
    expect(harness.notices[1]).toMatch(/1099511627776 bytes of \/tmp\/file mapped, which does not fit/);
  });

  test("what was stored behind the end does not show when the file grows", () => {
    const { harness, fd, memory } = withFile("x");
    const at = harness.call("mmap", 0, 0x1000, 3, SHARED, fd, 0);
    memory.write(at, new TextEncoder().encode("abcdef"));
    harness.call("pwrite64", fd, harness.text("Z"), 1, 4);
    expect(memory.read(at, 5)).toEqual(new TextEncoder().encode("a\0\0\0Z"));
    memory.write(at + 5, new TextEncoder().encode("g"));
    harness.call("ftruncate", fd, 100);
    expect(memory.read(at, 7)).toEqual(new TextEncoder().encode("a\0\0\0Z\0\0"));
  });

  test("pages come when they are used, a few neighbours with them, and go with the mapping", () => {
    const harness = new Harness({ entries: { "/tmp/file": "start" } });
    const fd = harness.call("open", harness.text("/tmp/file"), O_RDWR, 0);
    harness.call("ftruncate", fd, 1 << 30);
    const before = harness.memory.mappedPages;
    const at = harness.call("mmap", 0, 1 << 30, 3, SHARED, fd, 0);
    expect(harness.memory.mappedPages).toBe(before);
    expect(harness.memory.read(at, 6)).toEqual(new TextEncoder().encode("start\0"));
    expect(harness.memory.mappedPages - before).toBe(16);
    harness.memory.write(at + (1 << 29), new Uint8Array([7]));
    expect(harness.memory.mappedPages - before).toBe(32);
    harness.call("munmap", at, 1 << 30);
    expect(harness.memory.mappedPages).toBe(before);
    expect(harness.call("pread64", fd, harness.scratch, 1, 1 << 29)).toBe(1);
    expect(harness.memory.bytes[harness.scratch]).toBe(7);
  });

  test("a read-only descriptor gives no writable shared mapping, not even later", () => {
    const harness = new Harness({ entries: { "/tmp/file": "hello" } });
    const fd = harness.call("open", harness.text("/tmp/file"), 0, 0);
    expect(harness.call("mmap", 0, 0x1000, 3, SHARED, fd, 0)).toBe(-errno.EACCES);
    const at = harness.call("mmap", 0, 0x1000, 1, SHARED, fd, 0);
    expect(harness.call("mprotect", at, 0x1000, 3)).toBe(-errno.EACCES);
    expect(harness.call("mmap", 0, 0x1000, 3, 2, fd, 0)).toBeGreaterThan(0);
  });

  test("a mapping outlives its descriptor and its name", () => {
    const { harness, fd } = withFile("hello");
    const at = harness.call("mmap", 0, 0x1000, 1, 2, fd, 0);
    harness.call("close", fd);
    harness.call("unlink", harness.text("/tmp/file"));
    const maps = harness.call("open", harness.text("/proc/self/maps"), 0, 0);
    const length = harness.call("read", maps, harness.scratch, 0x8000);
    const line = harness
      .textAt(harness.scratch, length)
      .split("\n")
      .find((text) => text.startsWith(at.toString(16)));
    expect(line).toMatch(/^[0-9a-f]+-[0-9a-f]+ r--p 00000000 \S+ \d+ +\/tmp\/file \(deleted\)$/);
  });
});
