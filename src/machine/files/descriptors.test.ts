/** Pipes, eventfds, epoll, readiness, and the limits on descriptors and output. */
import { expect, test } from "vitest";
import { bytes, makeFiles, text } from "../../../test/files/support.ts";
import { MemoryFiles } from "../../host/index.ts";
import { AT, defaultFileLimits, EPOLL, EPOLL_CTL, errno, F, type GuestFiles, O, POLL } from "./index.ts";

const fresh = (limits = defaultFileLimits) => makeFiles(new MemoryFiles({ "/f": "x" }), { limits });

function makePipe(files: GuestFiles, flags = 0): { read: number; write: number } {
  const ends = files.pipe(flags);
  if (typeof ends === "number") throw new Error(`pipe: ${ends}`);
  return ends;
}

test("an empty pipe blocks its reader, a full one its writer, and a change is counted", () => {
  const { files } = fresh({ ...defaultFileLimits, pipe: 8192 });
  const { read, write } = makePipe(files);
  const into = new Uint8Array(10_000);
  expect(files.read(read, into)).toBe("blocked");
  const before = files.changeCount();
  expect(files.write(write, new Uint8Array(5000).fill(3))).toBe(5000);
  expect(files.changeCount()).not.toBe(before);
  expect(files.write(write, new Uint8Array(4000))).toBe("blocked");
  expect(files.write(write, new Uint8Array(6000).fill(4))).toBe(3192);
  expect(files.write(write, new Uint8Array(1))).toBe("blocked");
  expect(files.available(read)).toBe(8192);
  expect(files.read(read, into)).toBe(8192);
  expect([into[4999], into[5000], into[8191]]).toEqual([3, 4, 4]);
  files.fcntl(read, F.SETFL, O.NONBLOCK);
  expect(files.read(read, into)).toBe(-errno.EAGAIN);
});

test("the end of a pipe: end of file for readers, EPIPE for writers", () => {
  const { files } = fresh();
  const { read, write } = makePipe(files);
  files.write(write, bytes("last"));
  files.close(write);
  const into = new Uint8Array(10);
  expect(files.readiness(read)).toBe(POLL.IN | POLL.RDNORM | POLL.HUP);
  expect(files.read(read, into)).toBe(4);
  expect(files.read(read, into)).toBe(0);
  const other = makePipe(files);
  const copy = files.dup(other.read);
  files.close(other.read);
  expect(files.write(other.write, bytes("x"))).toBe(1);
  files.close(copy);
  expect(files.write(other.write, bytes("x"))).toBe(-errno.EPIPE);
  expect(files.readiness(other.write) & POLL.ERR).toBe(POLL.ERR);
});

test("a pipe opened again through /dev/fd is the same pipe", () => {
  const { files } = fresh();
  const { read, write } = makePipe(files);
  const again = files.open(AT.FDCWD, `/dev/fd/${write}`, O.WRONLY, 0);
  files.write(again, bytes("hello"));
  const into = new Uint8Array(5);
  expect(files.read(read, into)).toBe(5);
  expect(text(into)).toBe("hello");
  expect(files.readlink(AT.FDCWD, `/proc/self/fd/${read}`)).toMatch(/^pipe:\[\d+\]$/);
});

const count = (value: bigint): Uint8Array => new Uint8Array(new BigUint64Array([value]).buffer);

test("an eventfd adds up, a semaphore counts down", () => {
  const { files } = fresh();
  const plain = files.eventfd(2, 0);
  const semaphore = files.eventfd(2, 1 | O.NONBLOCK);
  files.write(plain, count(5n));
  const into = new Uint8Array(8);
  expect(files.read(plain, into)).toBe(8);
  expect(into).toEqual(count(7n));
  expect(files.read(plain, into)).toBe("blocked");
  files.read(semaphore, into);
  expect(into).toEqual(count(1n));
  files.read(semaphore, into);
  expect(files.read(semaphore, into)).toBe(-errno.EAGAIN);
  files.write(plain, count(2n ** 64n - 2n));
  expect(files.write(plain, count(1n))).toBe("blocked");
  expect(files.write(plain, count(2n ** 64n - 1n))).toBe(-errno.EINVAL);
});

test("epoll: level, edge and one-shot", () => {
  const { files } = fresh();
  const epfd = files.epollCreate(0);
  const [level, edge, once] = [makePipe(files), makePipe(files), makePipe(files)];
  const add = (fd: number, events: number, data: bigint) =>
    files.epollControl(epfd, EPOLL_CTL.ADD, fd, { events, data });
  expect(add(level.read, POLL.IN, 1n)).toBe(0);
  expect(add(edge.read, POLL.IN + EPOLL.ET, 2n)).toBe(0);
  expect(add(once.read, POLL.IN | EPOLL.ONESHOT, 3n)).toBe(0);
  expect(add(once.read, POLL.IN, 3n)).toBe(-errno.EEXIST);
  expect(add(files.open(AT.FDCWD, "/f", O.RDONLY, 0), POLL.IN, 4n)).toBe(-errno.EPERM);
  expect(add(epfd, POLL.IN, 5n)).toBe(-errno.EINVAL);
  expect(files.epollTake(epfd, 10)).toEqual([]);
  for (const { write } of [level, edge, once]) files.write(write, bytes("x"));
  const taken = () => {
    const events = files.epollTake(epfd, 10);
    return typeof events === "number" ? events : events.map(({ data }) => data);
  };
  expect(files.readiness(epfd)).toBe(POLL.IN | POLL.RDNORM);
  expect(taken()).toEqual([1n, 2n, 3n]);
  expect(taken()).toEqual([1n]);
  files.write(edge.write, bytes("y"));
  files.write(once.write, bytes("y"));
  expect(taken()).toEqual([1n, 2n]);
  files.epollControl(epfd, EPOLL_CTL.MOD, once.read, { events: POLL.IN, data: 9n });
  expect(taken()).toEqual([1n, 9n]);
  files.close(level.read);
  expect(taken()).toEqual([9n]);
});

test("a list cut short goes on with those not yet reported", () => {
  const { files } = fresh();
  const epfd = files.epollCreate(0);
  for (const data of [1n, 2n, 3n])
    files.epollControl(epfd, EPOLL_CTL.ADD, files.eventfd(1, 0), { events: POLL.IN, data });
  const takeOne = () => (files.epollTake(epfd, 1) as readonly { data: bigint }[])[0]?.data;
  const seen = [takeOne(), takeOne(), takeOne()];
  expect(seen).toEqual([1n, 2n, 3n]);
});

test("limits: descriptors end in EMFILE, output in a value of its own", () => {
  const { files, output } = fresh({ ...defaultFileLimits, descriptors: 5, output: 10 });
  expect([files.dup(0), files.dup(0)]).toEqual([3, 4]);
  expect(files.dup(0)).toBe(-errno.EMFILE);
  expect(files.open(AT.FDCWD, "/f", O.RDONLY, 0)).toBe(-errno.EMFILE);
  expect(files.pipe(0)).toBe(-errno.EMFILE);
  expect(files.write(1, bytes("123456"))).toBe(6);
  expect(files.write(2, bytes("12345"))).toBe("output-limit");
  expect(output.length).toBe(1);
});

test("limits: contents and files end in ENOSPC, and deleting gives room again", () => {
  const { files } = fresh({ ...defaultFileLimits, bytes: 3 * 4096, files: 3 });
  const fd = files.open(AT.FDCWD, "/one", O.CREAT | O.RDWR, 0o600);
  expect(files.write(fd, new Uint8Array(5 * 4096))).toBe(3 * 4096);
  expect(files.write(fd, new Uint8Array(1))).toBe(-errno.ENOSPC);
  // A promise keeps nothing, and is only refused when the disk could never hold it.
  expect(files.fallocate(fd, 0, 0, 100 * 4096)).toBe(0);
  expect(files.fallocate(fd, 1, 0, 2 ** 43)).toBe(-errno.ENOSPC);
  expect(files.mkdir(AT.FDCWD, "/two", 0o700)).toBe(0);
  expect(files.symlink("x", AT.FDCWD, "/three")).toBe(0);
  expect(files.mkdir(AT.FDCWD, "/four", 0o700)).toBe(-errno.ENOSPC);
  files.unlink(AT.FDCWD, "/one", 0);
  expect(files.usage()).toMatchObject({ bytes: 3 * 4096, files: 3 });
  files.close(fd);
  expect(files.usage()).toMatchObject({ bytes: 0, files: 2 });
});
