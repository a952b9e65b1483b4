/**
 * What npm gives a user: `dist/package`, laid out of a build: the command, the library as one file, and its types. package.json
 * names nothing else of the project. dist itself has builds of the last hour in it.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { pruneTypes } from "./prune-types.mjs";

const root = resolve(import.meta.dirname, "../..");
const dist = join(root, "dist");
const target = join(dist, "package");
const stage = join(root, ".cache", `package-${process.pid}`);
const run = (words) => execFileSync(process.execPath, words, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });

/** What dist's launcher loads, and nothing of other builds. */
function copyCommand() {
  const launcher = readFileSync(join(dist, "blackout.mjs"), "utf8");
  const [bundle] = /blackout-[0-9a-f]{12}/.exec(launcher);
  const parsers = readdirSync(dist).filter((name) => name.endsWith(".wasm"));
  const files = [
    "worker.mjs",
    "fleet-thread.mjs",
    "page.html",
    "rules.json",
    "report.schema.json",
    `${bundle}.cjs`,
    ...parsers,
  ];
  // Each of these may be missing where it could not be built; then less can be done, or more slowly.
  const aids = [`${bundle}.ahead`, "blackout-heap.so"].filter((name) => existsSync(join(dist, name)));
  for (const file of [...files, ...aids]) copyFileSync(join(dist, file), join(stage, file));
  writeFileSync(join(stage, "blackout.mjs"), `#!/usr/bin/env node\n${launcher}`);
  chmodSync(join(stage, "blackout.mjs"), 0o755);
}

/** One file for programs that import the package. */
const bundleLibrary = () =>
  build({
    absWorkingDir: root,
    entryPoints: ["src/index.ts"],
    outfile: join(stage, "index.cjs"),
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    minifyWhitespace: true,
    minifySyntax: true,
    external: ["piscina", "esbuild", "z3-solver", "bullmq", "ioredis"],
    logLevel: "warning",
    define: { "import.meta.url": "libraryUrl" },
    banner: { js: 'const libraryUrl = require("node:url").pathToFileURL(__filename).href;' },
  });

/** Declarations name each other by the endings that files have once they are compiled. */
function writeTypes() {
  const types = join(stage, "types");
  const config = join(root, `.cache/types-${process.pid}.json`);
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    incremental: false,
    tsBuildInfoFile: null,
    rootDir: join(root, "src"),
    outDir: types,
  };
  const include = [join(root, "src")];
  const exclude = [join(root, "src/report/page"), join(root, "src/**/*.test.ts")];
  writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include, exclude }));
  run([join(root, "node_modules/typescript/bin/tsc"), "-p", config]);
  rmSync(config);
  for (const entry of readdirSync(types, { recursive: true })) {
    const file = join(types, entry);
    if (file.endsWith(".d.ts"))
      writeFileSync(file, readFileSync(file, "utf8").replaceAll(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'));
  }
  pruneTypes(types, "index.d.ts");
}

/** Whether nothing that it is made of is newer. */
function upToDate() {
  if (!existsSync(target)) return false;
  const { mtimeMs } = statSync(target);
  const made = ["package.json", "src", "tools", "docs/rules", "lib"];
  const files = made.flatMap((path) => {
    const whole = join(root, path);
    return statSync(whole).isDirectory()
      ? readdirSync(whole, { recursive: true }).map((name) => join(whole, name))
      : [whole];
  });
  return files.every((file) => statSync(file).mtimeMs < mtimeMs);
}

async function layOut() {
  // What changes meanwhile is newer than the package.
  const started = new Date();
  mkdirSync(stage, { recursive: true });
  try {
    run(["tools/build.mjs"]);
    copyCommand();
    await bundleLibrary();
    writeTypes();
    rmSync(target, { recursive: true, force: true });
    utimesSync(stage, started, started);
    renameSync(stage, target);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

if (!upToDate()) await layOut();
