/** Bundles the command into dist/blackout.mjs. iced-x86 stays outside: it loads its own WebAssembly file. */
import { build } from "esbuild";

await build({
  entryPoints: ["src/cli/entry.ts"],
  outfile: "dist/blackout.mjs",
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  splitting: false,
  sourcemap: "linked",
  external: ["iced-x86"],
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  logLevel: "warning",
});
