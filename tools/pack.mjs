/**
 * The package: what `npm install` gives a user. `node tools/pack.mjs FOLDER` builds, lays out dist and its types in a folder of its
 * own, and packs that with npm: no sources, no tests, no dev dependencies. dist itself has builds of the last hour in it.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const root = resolve(import.meta.dirname, "..");
const target = resolve(process.argv[2] ?? join(root, ".cache"));
const stage = join(root, ".cache", `package-${process.pid}`);
const dist = join(stage, "dist");
const run = (command, args, cwd = root) => execFileSync(command, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });

/** What dist's launcher loads, and nothing of other builds. */
function copyCommand() {
  const launcher = readFileSync(join(root, "dist/blackout.mjs"), "utf8");
  const [bundle] = /blackout-[0-9a-f]{12}/.exec(launcher);
  const decoders = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".wasm"));
  const files = [
    "worker.mjs",
    "page.html",
    "rules.json",
    "report.schema.json",
    `${bundle}.cjs`,
    `${bundle}.ahead`,
    ...decoders,
  ];
  for (const file of files) copyFileSync(join(root, "dist", file), join(dist, file));
  writeFileSync(join(dist, "blackout.mjs"), `#!/usr/bin/env node\n${launcher}`);
  chmodSync(join(dist, "blackout.mjs"), 0o755);
}

/** One file for programs that import the package. */
const bundleLibrary = () =>
  build({
    absWorkingDir: root,
    entryPoints: ["src/index.ts"],
    outfile: join(dist, "index.cjs"),
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    external: ["piscina", "esbuild", "z3-solver"],
    logLevel: "warning",
    define: { "import.meta.url": "libraryUrl" },
    banner: { js: 'const libraryUrl = require("node:url").pathToFileURL(__filename).href;' },
  });

/** Declarations name each other by the endings that files have once they are compiled. */
function writeTypes() {
  const config = join(root, `.cache/types-${process.pid}.json`);
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    incremental: false,
    tsBuildInfoFile: null,
    rootDir: join(root, "src"),
    outDir: join(dist, "types"),
  };
  const include = [join(root, "src")];
  const exclude = [join(root, "src/report/page"), join(root, "src/**/*.test.ts")];
  writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include, exclude }));
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", config]);
  rmSync(config);
  for (const entry of readdirSync(join(dist, "types"), { recursive: true })) {
    const file = join(dist, "types", entry);
    if (file.endsWith(".d.ts"))
      writeFileSync(file, readFileSync(file, "utf8").replaceAll(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'));
  }
}

function writeManifest() {
  const { name, version, description, license, type, engines, dependencies } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  const { esbuild, piscina, "z3-solver": solver } = dependencies;
  const manifest = {
    ...{ name, version, description, license, type, engines },
    bin: { blackout: "dist/blackout.mjs" },
    exports: { ".": { types: "./dist/types/index.d.ts", default: "./dist/index.cjs" } },
    files: ["dist"],
    // Everything else is bundled.
    dependencies: { esbuild, piscina, "z3-solver": solver },
  };
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

mkdirSync(dist, { recursive: true });
mkdirSync(target, { recursive: true });
try {
  run(process.execPath, ["tools/build.mjs"]);
  copyCommand();
  await bundleLibrary();
  writeTypes();
  writeManifest();
  for (const file of ["README.md", "LICENSE"]) copyFileSync(join(root, file), join(stage, file));
  const packed = run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", target], stage).toString();
  console.log(join(target, JSON.parse(packed)[0].filename));
} finally {
  rmSync(stage, { recursive: true, force: true });
}
