/** The command as one file: in a file tree that has no Node, no package and no shell, only the libraries that Node is linked with. */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "blackout-executable-"));
const tree = join(folder, "tree");
/** Changing the root takes rights; without them the tree is the whole system's, with no PATH. */
const isRoot = process.getuid?.() === 0;
const inTree = (path: string) => (isRoot ? path : join(tree, path));

function copyIn(file: string, path = file): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  copyFileSync(file, join(tree, path));
}
const librariesOf = (file: string): readonly string[] =>
  [...execFileSync("ldd", [file], { encoding: "utf8" }).matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path!);

function runInside(words: readonly string[], env: Readonly<Record<string, string>>) {
  const [first, ...rest] = isRoot ? ["chroot", tree, ...words] : words;
  const cwd = isRoot ? "/" : tree;
  return spawnSync(first!, rest, {
    cwd,
    env: { PATH: isRoot ? "/usr/sbin:/usr/bin" : "/nowhere", ...env },
    encoding: "utf8",
  });
}

beforeAll(() => {
  mkdirSync(join(tree, "tmp"), { recursive: true });
  execFileSync("node", ["tools/package/executable/build.mjs", join(tree, "blackout")], { cwd: root, stdio: "ignore" });
  execFileSync("gcc", ["-g", "-O1", "-o", join(tree, "slot"), join(root, "examples/first/slot.c")]);
  for (const program of [process.execPath, join(tree, "slot")])
    for (const library of librariesOf(program)) copyIn(library);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("checks a program, with workers, and unpacks once", () => {
  const recover = `${inTree("/slot")} pool check`;
  const words = [
    inTree("/blackout"),
    "check",
    "-j",
    "2",
    "--no-journal",
    "--recover",
    recover,
    "--",
    inTree("/slot"),
    "pool",
  ];
  const env = { BLACKOUT_CACHE: inTree("/tmp/cache") };
  const { stderr, status } = runInside(words, env);
  expect(stderr).toMatch(/^error\[recovery-fails[\s\S]*SUMMARY: blackout: 1 error/);
  expect(status).toBe(1);
  const unpacked = () => readdirSync(join(tree, "tmp/cache")).filter((name) => name.startsWith("executable-"));
  expect(unpacked()).toHaveLength(1);
  const { stdout } = runInside([inTree("/blackout"), "explain", "missing-flush"], env);
  expect(stdout).toMatch(/^missing-flush: store never flushed\n/);
  expect(unpacked()).toHaveLength(1);
});

it("does without a home, and says so where it can write nowhere", () => {
  const { stdout } = runInside([inTree("/blackout"), "--version"], {
    HOME: inTree("/slot/none"),
    TMPDIR: inTree("/tmp"),
  });
  expect(stdout).toMatch(/^blackout \d/);
  rmSync(join(tree, "tmp"), { recursive: true });
  const nowhere = runInside([inTree("/blackout"), "--version"], {
    HOME: inTree("/slot/none"),
    TMPDIR: inTree("/slot/none"),
  });
  expect([nowhere.status, nowhere.stderr]).toEqual([2, expect.stringContaining("there is no folder to unpack to")]);
  expect(existsSync(join(tree, "tmp"))).toBe(false);
});
