/** Bundles the command into dist/, a chunk per command, so that none pays for another. The decoder's WebAssembly lies beside it. */
import { copyFileSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const decoder = join(dirname(createRequire(import.meta.url).resolve("iced-x86")), "iced_x86_bg.wasm");

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist", { recursive: true });
copyFileSync(decoder, "dist/iced_x86_bg.wasm");
await build({
  entryPoints: { blackout: "src/cli/entry.ts" },
  outdir: "dist",
  outExtension: { ".js": ".mjs" },
  bundle: true,
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
});
const now = new Date();
utimesSync("dist/blackout.mjs", now, now);
