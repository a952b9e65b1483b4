/** `--rw`: below a granted directory the host changes as the guest changes it; everywhere else nothing ever does. */
import { expect, test } from "vitest";
import { type Operation, perform, randomOperation } from "../../../test/files/operations.ts";
import { bytes, makeFiles, text } from "../../../test/files/support.ts";
import { InputError, seedRandom } from "../../base/index.ts";
import { MemoryFiles } from "../../host/index.ts";
import { AT, errno, type GuestFiles, O } from "./index.ts";

const tree = {
  "/low": "lower file",
  "/sub/b": "below",
  "/sub/a": { directory: true },
  "/e": { link: "sub/a" },
} as const;

test("without a grant no call changes the host, whatever the guest does", () => {
  for (let seed = 0; seed < 20; seed++) {
    const host = new MemoryFiles(tree);
    const { files } = makeFiles(host);
    const random = seedRandom(seed);
    for (let i = 0; i < 500; i++) perform(files, randomOperation(random, { absolute: true, holes: true }));
    expect(host.changes, `seed ${seed}`).toBe(0);
    expect(text(host.contents("/low") as Uint8Array)).toBe("lower file");
  }
});

test("with a grant only what lies below it changes", () => {
  const host = new MemoryFiles({ ...tree, "/out/old": "old" });
  const { files } = makeFiles(host, { grants: ["/out"] });
  expect(files.writeFile("/out/new", bytes("written through"))).toBe(0);
  expect(files.writeFile("/kept", bytes("kept in memory"))).toBe(0);
  expect(text(host.contents("/out/new") as Uint8Array)).toBe("written through");
  expect(host.contents("/kept")).toBeUndefined();
  expect(files.rename(AT.FDCWD, "/out/old", AT.FDCWD, "/moved", 0)).toBe(-errno.EXDEV);
  expect(files.link(AT.FDCWD, "/kept", AT.FDCWD, "/out/kept", 0)).toBe(-errno.EXDEV);
  expect(files.unlink(AT.FDCWD, "/out", AT.REMOVEDIR)).toBe(-errno.EBUSY);
  expect(files.symlink("../../kept", AT.FDCWD, "/out/link")).toBe(0);
  expect(files.writeFile("/out/link", bytes("through a link out"))).toBe(0);
  expect(host.contents("/kept")).toBeUndefined();
  expect(files.changedPaths()).toEqual(["/kept"]);
});

test("a file removed or replaced on the host stays whole for whoever holds it", () => {
  const host = new MemoryFiles({ "/out/a": "first", "/out/b": "second", "/out/d/deep": "deep" });
  const { files } = makeFiles(host, { grants: ["/out"] });
  const fd = files.open(AT.FDCWD, "/out/a", O.RDWR, 0);
  const deep = files.open(AT.FDCWD, "/out/d/deep", O.RDWR, 0);
  expect(files.rename(AT.FDCWD, "/out/b", AT.FDCWD, "/out/a", 0)).toBe(0);
  expect(files.rename(AT.FDCWD, "/out/d", AT.FDCWD, "/out/c", 0)).toBe(0);
  const into = new Uint8Array(5);
  expect(files.read(fd, into)).toBe(5);
  expect(text(into)).toBe("first");
  expect(files.write(deep, bytes("DEEP"))).toBe(4);
  expect(text(host.contents("/out/c/deep") as Uint8Array)).toBe("DEEP");
  expect(text(host.contents("/out/a") as Uint8Array)).toBe("second");
});

test.each(["small", "large"])("a %s file that another took the place of is what it was", (size) => {
  const contents = new Uint8Array(size === "small" ? 5000 : 3 << 20).map((_, at) => at % 251);
  const host = new MemoryFiles({ "/out/a": "", "/out/b": "second" });
  const { files } = makeFiles(host, { grants: ["/out"] });
  files.writeFile("/out/a", contents);
  const fd = files.open(AT.FDCWD, "/out/a", O.RDWR, 0);
  expect(files.rename(AT.FDCWD, "/out/b", AT.FDCWD, "/out/a", 0)).toBe(0);
  const into = new Uint8Array(contents.length);
  expect(files.read(fd, into)).toBe(contents.length);
  expect(Buffer.compare(into, contents)).toBe(0);
});

test("restore does not undo what the host was given, and the tree sees the host as it is", () => {
  const host = new MemoryFiles({ "/out/old": "old" });
  const { files } = makeFiles(host, { grants: ["/out"] });
  const snapshot = files.snapshot();
  files.writeFile("/out/new", bytes("new"));
  files.unlink(AT.FDCWD, "/out/old", 0);
  files.restore(snapshot);
  expect(files.readFile("/out/new")).toEqual(bytes("new"));
  expect(files.stat(AT.FDCWD, "/out/old", 0)).toBe(-errno.ENOENT);
});

/** Calls whose answers depend on who owns the host's files, or that only memory offers. */
const skipped = ["chmod", "fchmod", "chown", "access", "utimens", "link", "umask", "mknod"];

function comparable(operation: Operation): boolean {
  const [name, , , flags] = operation;
  if (skipped.includes(String(name))) return false;
  if (name === "open") return (Number(flags) & (O.TMPFILE_BIT | O.PATH)) === 0;
  return !(name === "rename" && Number(operation[5]) > 1) && !(name === "lseek" && Number(operation[3]) > 2);
}

const withoutDetails = (answer: string): string => answer.replace(/ (mode|nlink|mtime)=\S+/g, "");

const wideOpen = (operation: Operation): Operation =>
  operation[0] === "open" || operation[0] === "mkdir" ? [...operation.slice(0, -1), 0o777] : operation;

test("a granted tree answers as one in memory, and the host ends up as the guest sees it", () => {
  for (let seed = 0; seed < 20; seed++) {
    const host = new MemoryFiles(tree);
    const granted = makeFiles(host, { grants: ["/"] }).files;
    const inMemory = makeFiles(new MemoryFiles(tree)).files;
    const random = seedRandom(seed);
    for (let i = 0; i < 300; i++) {
      const operation = wideOpen(randomOperation(random, { absolute: true, holes: false }));
      if (!comparable(operation)) continue;
      const expected = withoutDetails(perform(inMemory, operation));
      const context = `seed ${seed}, call ${i}: ${operation.join(" ").slice(0, 200)}`;
      expect(withoutDetails(perform(granted, operation)), context).toBe(expected);
    }
    for (const path of ["/low", "/a", "/b", "/sub/b", "/sub/a", "/d"]) expectSame(granted, host, path);
  }
});

function expectSame(files: GuestFiles, host: MemoryFiles, path: string): void {
  const stat = host.lstat(path);
  if (typeof stat === "number" || stat.kind !== "file") return;
  expect(files.readFile(path), path).toEqual(host.contents(path));
}

test("a grant or root that is no directory is the user's mistake", () => {
  expect(() => makeFiles(new MemoryFiles(tree), { grants: ["/low"] })).toThrow(InputError);
  expect(() => makeFiles(new MemoryFiles(tree), { grants: ["/proc"] })).toThrow(InputError);
  expect(() => makeFiles(new MemoryFiles(tree), { root: "/nowhere" })).toThrow(InputError);
  expect(() => makeFiles(new MemoryFiles(tree), { workingDirectory: "/low" })).toThrow(InputError);
});
