/** Devices, /proc, /sys, mapped files, and what a guest must not see. */
import { expect, test } from "vitest";
import { bytes, makeFiles, someProcess, text } from "../../../test/files/support.ts";
import { MemoryFiles } from "../../host/index.ts";
import { AT, encodeStat, encodeStatx, errno, type GuestFiles, O, S, SEEK } from "./index.ts";

const host = () =>
  new MemoryFiles({
    "/bin/guest": "program",
    "/proc/secret": "host",
    "/sys/secret": "host",
    "/dev/sda": "host",
    "/etc/passwd": "root",
  });

function slurp(files: GuestFiles, path: string): string | number {
  const fd = files.open(AT.FDCWD, path, O.RDONLY, 0);
  if (fd < 0) return fd;
  const into = new Uint8Array(65_536);
  const count = files.read(fd, into);
  files.close(fd);
  return typeof count === "number" && count >= 0 ? text(into.subarray(0, count)) : Number(count);
}

test("nothing of the host's /proc, /sys and /dev shows", () => {
  const { files } = makeFiles(host());
  for (const path of ["/proc/secret", "/sys/secret", "/dev/sda", "/proc/1"])
    expect(files.stat(AT.FDCWD, path, 0), path).toBe(-errno.ENOENT);
  expect(slurp(files, "/etc/passwd")).toBe("root");
});

test("devices", () => {
  const { files } = makeFiles(host());
  const into = new Uint8Array(4).fill(9);
  const open = (name: string) => files.open(AT.FDCWD, `/dev/${name}`, O.RDWR, 0);
  expect(files.read(open("null"), into)).toBe(0);
  expect(files.write(open("null"), into)).toBe(4);
  expect(files.read(open("zero"), into)).toBe(4);
  expect([...into]).toEqual([0, 0, 0, 0]);
  expect(files.write(open("full"), into)).toBe(-errno.ENOSPC);
  files.read(open("urandom"), into);
  expect([...into]).toEqual([7, 7, 7, 7]);
  expect(open("tty")).toBe(-errno.ENXIO);
  expect(files.stat(AT.FDCWD, "/dev/null", 0)).toMatchObject({ mode: S.IFCHR | 0o666, rdev: 0x103 });
  expect(files.mappable(open("zero"))).toEqual({ kind: "zero", readable: true, writable: true });
  expect(files.open(AT.FDCWD, "/dev/shm/pool", O.CREAT | O.RDWR, 0o600)).toBeGreaterThan(2);
  expect(files.open(AT.FDCWD, "/dev/new", O.CREAT | O.RDWR, 0o600)).toBe(-errno.EACCES);
  expect(files.rename(AT.FDCWD, "/dev/shm/pool", AT.FDCWD, "/pool", 0)).toBe(-errno.EXDEV);
});

test("a terminal among the streams is what /dev/tty opens", () => {
  const { files } = makeFiles(host(), {
    streams: { readInput: () => bytes("y"), writeOutput: () => undefined, terminals: [true, false, false] },
  });
  const fd = files.open(AT.FDCWD, "/dev/tty", O.RDWR, 0);
  expect([files.isTerminal(fd), files.isTerminal(0), files.isTerminal(1)]).toEqual([1, 1, 0]);
  expect(files.read(fd, new Uint8Array(3))).toBe(1);
  expect((files.fstat(0) as { mode: number }).mode & S.IFMT).toBe(S.IFCHR);
  expect((files.fstat(1) as { mode: number }).mode & S.IFMT).toBe(S.IFIFO);
});

test("/proc/self tells of the process", () => {
  const { files } = makeFiles(host());
  expect(files.readlink(AT.FDCWD, "/proc/self")).toBe("1000");
  expect(files.readlink(AT.FDCWD, "/proc/self/exe")).toBe("/bin/guest");
  expect(files.readlink(AT.FDCWD, "/proc/thread-self")).toBe("1000/task/1001");
  expect(slurp(files, "/proc/self/exe")).toBe("program");
  expect(slurp(files, "/proc/self/maps")).toContain("/bin/guest");
  expect(slurp(files, "/proc/self/cmdline")).toBe("guest\0--flag\0");
  expect(slurp(files, "/proc/self/environ")).toBe("HOME=/home\0LANG=C\0");
  expect(slurp(files, "/proc/self/comm")).toBe("guest\n");
  expect(slurp(files, "/proc/self/task/1001/comm")).toBe("worker\n");
  expect(slurp(files, "/proc/thread-self/comm")).toBe("worker\n");
  expect(files.stat(AT.FDCWD, "/proc/self/task/77", 0)).toBe(-errno.ENOENT);
  expect(String(slurp(files, "/proc/self/stat")).split(" ")).toHaveLength(52);
  expect(String(slurp(files, "/proc/self/stat"))).toMatch(/^1000 \(guest\) R 1 1000 1000 0 -1 /);
  expect(String(slurp(files, "/proc/self/status"))).toMatch(
    /^Name:\tguest\n[\s\S]*VmSize:\t +1024 kB\n[\s\S]*Threads:\t2\n/,
  );
  expect(String(slurp(files, "/proc/self/limits"))).toMatch(/Max open files +1024 +4096 +files/);
  expect(slurp(files, "/proc/self/statm")).toBe("256 128 0 1 0 3 0\n");
  expect(String(slurp(files, "/proc/self/mountinfo"))).toContain("259:0 / / rw,noatime,dax=always - ext4");
  expect(String(slurp(files, "/proc/mounts"))).toContain("/dev/pmem0 / ext4 rw,noatime,dax=always");
});

test("writing /proc/self/task/<tid>/comm names a thread", () => {
  const named: [number, string][] = [];
  const { files } = makeFiles(host(), {
    process: { ...someProcess, setThreadName: (thread, name) => void named.push([thread, name]) },
  });
  const fd = files.open(AT.FDCWD, "/proc/self/task/1001/comm", O.RDWR, 0);
  expect(files.write(fd, bytes("a-name-longer-than-15"))).toBe(21);
  expect(named).toEqual([[1001, "a-name-longer-t"]]);
});

test("/proc/self/fd lists what is open and leads to it, deleted files too", () => {
  const { files } = makeFiles(host());
  const fd = files.open(AT.FDCWD, "/tmpfile", O.CREAT | O.RDWR, 0o600);
  files.write(fd, bytes("still here"));
  files.unlink(AT.FDCWD, "/tmpfile", 0);
  expect(files.readlink(AT.FDCWD, `/proc/self/fd/${fd}`)).toBe("/tmpfile (deleted)");
  expect(slurp(files, `/dev/fd/${fd}`)).toBe("still here");
  expect(files.stat(AT.FDCWD, "/proc/self/fd/99", 0)).toBe(-errno.ENOENT);
  const temporary = files.open(AT.FDCWD, "/", O.TMPFILE | O.RDWR, 0o600);
  files.write(temporary, bytes("named later"));
  expect(files.link(AT.FDCWD, `/proc/self/fd/${temporary}`, AT.FDCWD, "/named", AT.SYMLINK_FOLLOW)).toBe(0);
  expect(slurp(files, "/named")).toBe("named later");
});

test("the machine's own files", () => {
  const { files } = makeFiles(host());
  expect(String(slurp(files, "/proc/cpuinfo")).match(/^processor\t: \d/gm)).toHaveLength(2);
  expect(String(slurp(files, "/proc/meminfo"))).toMatch(/^MemTotal: +4194304 kB\n/);
  expect(slurp(files, "/proc/uptime")).toBe("2.00 2.00\n");
  expect(slurp(files, "/proc/sys/kernel/osrelease")).toBe("6.1.0-blackout\n");
  expect(slurp(files, "/proc/sys/vm/overcommit_memory")).toBe("0\n");
  expect(slurp(files, "/proc/sys/kernel/random/uuid")).toBe("07070707-0707-4707-8707-070707070707\n");
  expect(slurp(files, "/sys/devices/system/cpu/online")).toBe("0-1\n");
  expect(slurp(files, "/sys/kernel/mm/transparent_hugepage/enabled")).toBe("always madvise [never]\n");
  expect(slurp(files, "/sys/bus/nd/devices/region0/persistence_domain")).toBe("memory_controller\n");
  expect(slurp(files, "/sys/dev/block/259:0/queue/dax")).toBe("1\n");
  expect(files.open(AT.FDCWD, "/proc/version", O.WRONLY, 0)).toBe(-errno.EACCES);
  expect(files.unlink(AT.FDCWD, "/proc/version", 0)).toBe(-errno.EACCES);
});

test("file calls go through guest memory where a file is mapped", () => {
  const [start, live] = [4096, new Uint8Array(4096).fill(5)];
  /** The part of the second page, which is all that is held, and what of the range lies on it. */
  const held = (offset: number, length: number) => {
    const [from, to] = [Math.max(offset, start), Math.min(offset + length, 2 * start)];
    return { page: live.subarray(from - start, Math.max(from, to) - start), from: from - offset, to: to - offset };
  };
  const { files } = makeFiles(host(), {
    mapped: {
      read: (_inode, offset, into) => into.set(held(offset, into.length).page, held(offset, into.length).from),
      write: (_inode, offset, data) => {
        const { page, from, to } = held(offset, data.length);
        page.set(data.subarray(from, Math.max(from, to)));
      },
      zero: (_inode, from, to) => held(from, to - from).page.fill(0),
      cut: (_inode, size) => held(size, 4096).page.fill(0),
      told: () => {},
      nextStored: (_inode, from, end) => (from <= 1 && 1 < end ? 1 : undefined),
    },
  });
  const fd = files.open(AT.FDCWD, "/pool", O.CREAT | O.RDWR, 0o600);
  files.ftruncate(fd, 3 * 4096);
  const mapping = files.mappable(fd);
  if (typeof mapping === "number" || mapping.kind !== "file") throw new Error("not mappable");
  const into = new Uint8Array(2);
  files.read(fd, into, 4096);
  expect([...into]).toEqual([0, 0]);
  files.retain(mapping.inode);
  files.read(fd, into, 4095);
  expect([...into]).toEqual([0, 5]);
  files.write(fd, Uint8Array.of(1, 2), 4095);
  expect([...live.subarray(0, 2)]).toEqual([2, 5]);
  expect(files.lseek(fd, 0, SEEK.HOLE)).toBe(8192);
  files.ftruncate(fd, 4097);
  expect(live.subarray(0, 3)).toEqual(Uint8Array.of(2, 0, 0));
  files.close(fd);
  files.unlink(AT.FDCWD, "/pool", 0);
  expect(files.pathOf(mapping.inode)).toBe("/pool (deleted)");
  expect(files.writePages(mapping.inode, 4096, new Uint8Array(4096).fill(8))).toBe(0);
  files.release(mapping.inode);
  expect(files.usage().bytes).toBe(0);
});

test("stat structures have the kernel's layout", () => {
  const { files } = makeFiles(host());
  files.utimens(AT.FDCWD, "/etc/passwd", 0n, 1_500_000_001n, 0);
  const stat = files.stat(AT.FDCWD, "/etc/passwd", 0);
  if (typeof stat === "number") throw new Error("stat failed");
  const plain = new DataView(encodeStat(stat).buffer);
  expect([plain.getUint32(24, true), plain.getBigUint64(48, true)]).toEqual([S.IFREG | 0o644, 4n]);
  expect([plain.getBigUint64(88, true), plain.getBigUint64(96, true)]).toEqual([1n, 500_000_001n]);
  const extended = new DataView(encodeStatx(stat).buffer);
  expect([extended.getUint16(28, true), extended.getBigUint64(40, true)]).toEqual([S.IFREG | 0o644, 4n]);
  expect([extended.getBigUint64(112, true), extended.getUint32(120, true)]).toEqual([1n, 500_000_001]);
  expect(extended.getBigUint64(8, true) & 0x20_0000n).toBe(0x20_0000n);
});

test("inode numbers do not depend on the order of look-ups or on where the root lies", () => {
  const inoOf = (files: GuestFiles, path: string) => (files.stat(AT.FDCWD, path, 0) as { ino: number }).ino;
  const first = makeFiles(host()).files;
  const second = makeFiles(new MemoryFiles({ "/other/etc/passwd": "root", "/other/bin/guest": "" }), {
    root: "/other",
  }).files;
  const direct = inoOf(first, "/etc/passwd");
  inoOf(second, "/bin/guest");
  expect(inoOf(second, "/etc/passwd")).toBe(direct);
});
