/**
 * Bundles everything into one file of dist/, does ahead what can be done for it (src/app/commands/launch.ts), and puts the
 * launchers of the command and of its workers beside it. The decoder's WebAssembly lies there too; Piscina, which starts a file of its
 * own, and esbuild stay in node_modules. Commands may run, or build too, meanwhile: a finished file takes its name at
 * once, the command's launcher comes last, and files of earlier builds stay for an hour.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { buildPage } from "./build-page.mjs";

const modules = createRequire(import.meta.url);
const decoder = join(dirname(modules.resolve("iced-x86")), "iced_x86_bg.wasm");
/** What parses sources, by the names it has in dist. */
const parsers = [
  join(dirname(modules.resolve("web-tree-sitter")), "web-tree-sitter.wasm"),
  ...["tree-sitter-c", "tree-sitter-cpp", "tree-sitter-rust"].map((name) =>
    join(dirname(modules.resolve(`${name}/package.json`)), `${name}.wasm`),
  ),
];
const keptMilliseconds = 3_600_000;
const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "warning",
  write: false,
};

/** One function, which src/app/commands/launch.ts calls with what a CommonJS module has in scope. */
async function bundle() {
  const { outputFiles } = await build({
    ...common,
    entryPoints: ["src/app/commands/bundle.ts"],
    outfile: "dist/bundle.cjs",
    external: ["piscina", "z3-solver", "bullmq", "ioredis"],
    // What stays outside is loaded by require: a script that was compiled ahead imports nothing.
    supported: { "dynamic-import": false },
    // The other form of it imports when it runs, which a bundle that is compiled ahead cannot.
    alias: { "web-tree-sitter": modules.resolve("web-tree-sitter") },
    format: "cjs",
    charset: "ascii",
    sourcemap: "external",
    define: { "import.meta.url": "bundleUrl" },
    banner: {
      js: '(function (exports, require, module, __filename, __dirname) { const bundleUrl = require("node:url").pathToFileURL(__filename).href;',
    },
    footer: { js: "})" },
  });
  const [map, code] = outputFiles.map(({ contents }) => contents);
  const name = `blackout-${createHash("sha256").update(code).digest("hex").slice(0, 12)}`;
  return { name, code, map };
}

async function launcher(source, bundleName) {
  const { outputFiles } = await build({
    ...common,
    entryPoints: [source],
    outfile: "dist/launcher.mjs",
    format: "esm",
    define: { bundleName: JSON.stringify(bundleName) },
  });
  return outputFiles[0].contents;
}

const published = new Set();
const unfinished = (name) => join("dist", `${name}.${process.pid}`);
function finish(name) {
  renameSync(unfinished(name), join("dist", name));
  published.add(name);
}
function publish(name, contents) {
  writeFileSync(unfinished(name), contents);
  finish(name);
}

/** Without it commands only start more slowly, so a build does not fail for it. */
async function workAhead(bundleName) {
  const recorder = join("dist", `record-ahead-${process.pid}.mjs`);
  writeFileSync(recorder, await launcher("tools/record-ahead.ts", bundleName));
  const ahead = `${bundleName}.ahead`;
  const env = { ...process.env, BLACKOUT_CACHE: "off" };
  const { status } = spawnSync(process.execPath, [recorder, unfinished(ahead)], { stdio: "ignore", env });
  if (status === 0) finish(ahead);
  else console.error("No code cache could be recorded: commands will start more slowly.");
  rmSync(recorder);
}

/** Where there is no C compiler, everything but --pm-heap works. */
function heapLibrary() {
  const flags = ["-O2", "-shared", "-fPIC", "-fno-builtin-malloc", "-fno-builtin-calloc"];
  const built = unfinished("blackout-heap.so");
  const { status } = spawnSync("gcc", [...flags, "-o", built, "lib/pm-heap.c"], { stdio: "ignore" });
  if (status === 0) finish("blackout-heap.so");
  else console.error("There is no gcc that builds lib/pm-heap.c: --pm-heap will not be had.");
}

/** What `blackout explain` prints, by rule. */
const rulePages = () =>
  Object.fromEntries(
    readdirSync("docs/rules")
      .filter((file) => file !== "README.md")
      .map((file) => [basename(file, ".md"), readFileSync(join("docs/rules", file), "utf8")]),
  );

mkdirSync("dist", { recursive: true });
heapLibrary();
const { name, code, map } = await bundle();
publish("iced_x86_bg.wasm", readFileSync(decoder));
for (const parser of parsers) publish(basename(parser), readFileSync(parser));
publish("page.html", await buildPage());
publish("rules.json", JSON.stringify(rulePages()));
publish("report.schema.json", readFileSync("src/report/document/report.schema.json"));
publish(`${name}.cjs.map`, map);
publish(`${name}.cjs`, code);
await workAhead(name);
publish("worker.mjs", await launcher("src/app/commands/worker-entry.ts", name));
publish("fleet-thread.mjs", await launcher("src/app/commands/fleet-thread-entry.ts", name));
publish("blackout.mjs", await launcher("src/app/commands/entry.ts", name));
for (const entry of readdirSync("dist", { withFileTypes: true }))
  if (entry.isFile() && !published.has(entry.name)) {
    const { mtimeMs } = statSync(join("dist", entry.name));
    if (Date.now() - mtimeMs > keptMilliseconds) rmSync(join("dist", entry.name), { force: true });
  }
