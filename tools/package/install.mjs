/**
 * `make install PREFIX=DIR`: the package with the modules that it needs, taken from here, below DIR/lib/blackout; the command in
 * DIR/bin, with what shells complete. No network. DESTDIR stands before PREFIX, for who makes a package of a distribution.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import * as paths from "./installed-paths.mjs";
import { belowPrefix } from "./installed-paths.mjs";
import { neededModules } from "./needed-modules.mjs";

const root = resolve(import.meta.dirname, "../..");
const words = process.argv.slice(2);
const below = belowPrefix(words);
const home = below(paths.home);

/** A link that leads on after the whole tree was moved from DESTDIR to where it belongs. */
function link(from, to) {
  mkdirSync(dirname(from), { recursive: true });
  rmSync(from, { force: true });
  symlinkSync(relative(dirname(from), to), from);
}

await import("./layout.mjs");
// What runs meanwhile keeps what it has open; a new start finds the whole of one version.
const fresh = `${home}.new-${process.pid}`;
const { name, version, license, type, engines, bin, exports, dependencies } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);
mkdirSync(fresh, { recursive: true });
writeFileSync(
  join(fresh, "package.json"),
  `${JSON.stringify({ name, version, license, type, engines, bin, exports, dependencies }, undefined, 2)}\n`,
);
for (const file of ["README.md", "LICENSE"]) cpSync(join(root, file), join(fresh, file));
cpSync(join(root, "dist/package"), join(fresh, "dist/package"), { recursive: true });
for (const { name: module, folder } of neededModules(Object.keys(dependencies)))
  cpSync(folder, join(fresh, "node_modules", module), { recursive: true, dereference: true });
rmSync(home, { recursive: true, force: true });
renameSync(fresh, home);

const command = join(home, bin.blackout);
link(below(paths.launcher), command);
function writeOutputOf(words, path) {
  mkdirSync(dirname(below(path)), { recursive: true });
  writeFileSync(below(path), execFileSync(command, words));
}
for (const [shell, path] of Object.entries(paths.completions)) writeOutputOf(["completion", shell], path);
writeOutputOf(["help", "--man"], paths.manual);
console.log(`blackout ${version} is installed: ${below(paths.launcher)}`);
const folder = dirname(below(paths.launcher));
if (!(words[1] || process.env.PATH?.split(":").includes(folder)))
  console.log(`Add ${folder} to your PATH to call it by its name.`);
