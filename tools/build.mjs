/**
 * Bundles the command into dist/, a chunk per command, so that none pays for another, and the program of its workers. The
 * decoder's WebAssembly lies beside it; Piscina, which starts a file of its own, stays in node_modules. Commands may run, or build too, meanwhile: a finished file takes its name at once, the entry comes last, and
 * chunks of earlier builds stay for an hour.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";

const decoder = join(dirname(createRequire(import.meta.url).resolve("iced-x86")), "iced_x86_bg.wasm");
const entry = "blackout.mjs";
const keptMilliseconds = 3_600_000;

const { outputFiles } = await build({
  entryPoints: { blackout: "src/cli/entry.ts", "check-worker": "src/cli/check-worker.ts" },
  outdir: "dist",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  external: ["piscina"],
  platform: "node",
  format: "esm",
  target: "node20",
  splitting: true,
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: "linked",
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url), __dirname = import.meta.dirname;',
  },
  logLevel: "warning",
  write: false,
});

function publish(name, contents) {
  writeFileSync(join("dist", `${name}.${process.pid}`), contents);
  renameSync(join("dist", `${name}.${process.pid}`), join("dist", name));
}

mkdirSync("dist", { recursive: true });
const built = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
built.set(basename(decoder), readFileSync(decoder));
for (const [name, contents] of built) if (name !== entry) publish(name, contents);
publish(entry, built.get(entry));
for (const name of readdirSync("dist"))
  if (!built.has(name) && Date.now() - statSync(join("dist", name)).mtimeMs > keptMilliseconds)
    rmSync(join("dist", name), { force: true });
