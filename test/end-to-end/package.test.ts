/** The package, as a user gets it: what is in it, that it installs into an empty prefix, runs as nobody, and imports. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkGuest } from "../check/guests.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "blackout-package-"));
const prefix = join(folder, "prefix");
let packed = "";

/** No network: what the package needs is taken from here, and nothing else. */
const dependencies = ["piscina", "esbuild", "@esbuild/linux-x64", "z3-solver", "async-mutex", "tslib"].map((name) =>
  join(root, "node_modules", name),
);

beforeAll(() => {
  const pack = ["pack", "--silent", "--pack-destination", folder];
  packed = join(folder, execFileSync("npm", pack, { cwd: root, encoding: "utf8" }).trim().split("\n").at(-1)!);
  mkdirSync(prefix);
  writeFileSync(join(prefix, "package.json"), '{ "private": true, "type": "module" }');
  const quiet = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--install-links"];
  execFileSync("npm", ["install", ...quiet, ...dependencies, packed], { cwd: prefix, stdio: "ignore" });
  chmodSync(folder, 0o755);
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true }));

it("has the build with its types, and nothing else", () => {
  const files = execFileSync("tar", ["-tzf", packed], { encoding: "utf8" }).trim().split("\n");
  const others = files.filter((name) => !/^package\/(dist\/package\/|package\.json$|README\.md$|LICENSE$)/.test(name));
  expect(others).toEqual([]);
  expect(files.filter((name) => /\.test\.|(?<!\.d)\.ts$|\.map$/.test(name))).toEqual([]);
  expect(files).toContain("package/dist/package/types/index.d.ts");
  // Declarations that no name of the package leads to stay at home.
  expect(files.filter((name) => /types\/(app|report)\//.test(name)).length).toBeLessThan(30);
  const manifest = JSON.parse(execFileSync("tar", ["-xzOf", packed, "package/package.json"], { encoding: "utf8" }));
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(manifest).toMatchObject({ name: "blackout", version: own.version });
  expect(Object.keys(manifest.dependencies)).toEqual(["esbuild", "piscina", "z3-solver"]);
});

it("is laid out for npm's packing, and not for an install of what the sources need", () => {
  // Alone, without the layout, which it would have to load.
  const alone = join(folder, "prepare.mjs");
  copyFileSync(join(root, "tools/package/prepare.mjs"), alone);
  const prepare = (command: string, startedIn: string) => {
    const env = { ...process.env, npm_command: command, INIT_CWD: startedIn };
    return spawnSync("node", [alone], { cwd: folder, env, encoding: "utf8" }).stderr;
  };
  expect(prepare("ci", folder)).toBe("");
  expect(prepare("install", folder)).toBe("");
  for (const stderr of [prepare("pack", folder), prepare("install", prefix)]) expect(stderr).toContain("layout.mjs");
});

it("checks a program, as a user without rights", () => {
  const work = join(folder, "work");
  mkdirSync(work);
  chmodSync(work, 0o777);
  const guest = checkGuest("creating", "ORDER");
  const program = join(work, "creating");
  execFileSync("cp", [guest, program]);
  const words = [
    "check",
    "-j",
    "2",
    "--no-rules",
    "--recover",
    "./creating a.pool check",
    "--",
    "./creating",
    "a.pool",
  ];
  const command = [join(prefix, "node_modules/.bin/blackout"), ...words];
  const nobody = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
  const [first, ...rest] = [...nobody, ...command];
  const env = { PATH: process.env.PATH, HOME: work };
  const { status, stderr } = spawnSync(first!, rest, { cwd: work, env, encoding: "utf8" });
  expect(stderr).toMatch(/error\[recovery-fails\]: [\s\S]*SUMMARY: blackout: 1 error/);
  expect(status).toBe(1);
});

it("is imported as README shows, with its types", () => {
  const program = checkGuest("creating", "ORDER");
  const script = `import { check } from "blackout";
const { findings, extent } = await check({
  program: [${JSON.stringify(program)}, "a.pool"],
  recover: [${JSON.stringify(program)}, "a.pool", "check"],
});
for (const { rule, crash } of findings) if (rule.severity === "error") console.log(rule.title, crash?.stdout.trim());
console.log(extent.states > 0);
`;
  for (const name of ["use.mjs", "use.ts"]) writeFileSync(join(prefix, name), script);
  const output = execFileSync("node", ["use.mjs"], { cwd: prefix, encoding: "utf8" });
  expect(output).toBe("recovery fails after a crash item 0 is missing\ntrue\n");
  const types = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
  const roots = ["--typeRoots", join(root, "node_modules/@types")];
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync("node", [tsc, ...types, ...roots, "use.ts"], { cwd: prefix, encoding: "utf8" });
  expect(stdout).toBe("");
});

it("is installed and taken away as README says", () => {
  const home = join(folder, "home");
  mkdirSync(home);
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [, steps] = /## Install\n[\s\S]*?```console\n([\s\S]*?)```/.exec(readme)!;
  const commands = [...steps!.matchAll(/^\$ (.*)$/gm)].map(([, command]) => command!);
  expect(commands[0]).toMatch(/^make install /);
  // From any folder, once it is installed.
  const script = [commands[0], `cd ${folder}`, ...commands.slice(1), "blackout explain missing-flush | head -1"].join(
    "\n",
  );
  const shell = (text: string) =>
    spawnSync("bash", ["-ec", text], { cwd: root, env: { ...process.env, HOME: home }, encoding: "utf8" });
  const { stdout, stderr, status } = shell(script);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/is installed: .*\n[\s\S]*blackout 0\.1\.0\nmissing-flush: store never flushed\n$/);
  expect(status).toBe(0);
  for (const path of ["bash-completion/completions/blackout", "man/man1/blackout.1"])
    expect(existsSync(join(home, ".local/share", path)), path).toBe(true);
  expect(shell("make uninstall PREFIX=$HOME/.local").status).toBe(0);
  expect(
    readdirSync(join(home, ".local"), { recursive: true, withFileTypes: true }).filter((each) => !each.isDirectory()),
  ).toEqual([]);
  expect(shell("node tools/package/install.mjs relative").stderr).toContain("PREFIX is an absolute path");
});
