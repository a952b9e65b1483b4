/**
 * `make release`: checks version, changelog and tag, then packs, and runs what is in the package: publishing is one step from there.
 * npm runs the same checks before it publishes (`prepublishOnly`), without packing a second time.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { releaseComplaints } from "./release-checks.mjs";

const root = resolve(import.meta.dirname, "../..");
const read = (name) => readFileSync(join(root, name), "utf8");
const run = (command, ...words) => execFileSync(command, words, { cwd: root, encoding: "utf8" }).trim();

const { version } = JSON.parse(read("package.json"));
const complaints = releaseComplaints({
  manifest: version,
  lock: JSON.parse(read("package-lock.json")).version,
  source: /"(.+)"/.exec(read("src/base/version.ts"))?.[1] ?? "",
  changelog: read("CHANGELOG.md"),
  status: run("git", "status", "--porcelain"),
  tags: run("git", "tag", "--points-at", "HEAD").split("\n"),
});
for (const complaint of complaints) console.error(`release: ${complaint}.`);
if (complaints.length > 0) process.exit(1);

/** The package's command, with no other modules than those that it names, says the version. */
function tryPackage(file) {
  const folder = mkdtempSync(join(tmpdir(), "blackout-release-"));
  try {
    execFileSync("tar", ["-xzf", file, "-C", folder]);
    const home = join(folder, "package");
    mkdirSync(join(home, "node_modules"));
    const { dependencies, bin } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
    for (const name of Object.keys(dependencies))
      symlinkSync(join(root, "node_modules", name), join(home, "node_modules", name));
    const said = execFileSync("node", [join(home, bin.blackout), "--version"], {
      cwd: folder,
      encoding: "utf8",
    }).trim();
    if (said !== `blackout ${version}`) throw new Error(`The package says "${said}", not version ${version}.`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.env.npm_lifecycle_event !== "prepublishOnly") {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const packed = run("npm", "pack", "--silent", "--pack-destination", ".cache").split("\n").at(-1);
  const file = join(root, ".cache", packed);
  tryPackage(file);
  console.log(`release: ${file} is ready. To publish it: npm publish ${file}`);
}
