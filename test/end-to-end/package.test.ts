/** The package, as a user gets it: what is in it, that it installs into an empty prefix, runs as nobody, and imports. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkGuest } from "../check/guests.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "blackout-package-"));
const prefix = join(folder, "prefix");
let packed = "";

/** No network: what the package needs is taken from here, and nothing else. */
const dependencies = ["piscina", "esbuild", "@esbuild/linux-x64"].map((name) => join(root, "node_modules", name));

beforeAll(() => {
  packed = execFileSync("node", ["tools/pack.mjs", folder], { cwd: root, encoding: "utf8" }).trim().split("\n").at(-1)!;
  mkdirSync(prefix);
  writeFileSync(join(prefix, "package.json"), '{ "private": true, "type": "module" }');
  const quiet = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--install-links"];
  execFileSync("npm", ["install", ...quiet, ...dependencies, packed], { cwd: prefix, stdio: "ignore" });
  chmodSync(folder, 0o755);
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true }));

it("has dist with its types, and nothing else", () => {
  const files = execFileSync("tar", ["-tzf", packed], { encoding: "utf8" }).trim().split("\n");
  const others = files.filter((name) => !/^package\/(dist\/|package\.json$|README\.md$|LICENSE$)/.test(name));
  expect(others).toEqual([]);
  expect(files.filter((name) => /\.test\.|(?<!\.d)\.ts$|\.map$/.test(name))).toEqual([]);
  expect(files).toContain("package/dist/types/index.d.ts");
  const manifest = JSON.parse(execFileSync("tar", ["-xzOf", packed, "package/package.json"], { encoding: "utf8" }));
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(manifest).toMatchObject({ name: "blackout", version: own.version });
  expect(manifest).not.toHaveProperty("devDependencies");
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
  const types = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--types",
    "node",
  ];
  const roots = ["--typeRoots", join(root, "node_modules/@types")];
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync("node", [tsc, ...types, ...roots, "use.ts"], { cwd: prefix, encoding: "utf8" });
  expect(stdout).toBe("");
});
