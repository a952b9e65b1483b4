/** The rules alone, bundled as the command is: the bundler writes constants into the code that uses them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

export async function rulesBench(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "blackout-bench-"));
  const outfile = join(folder, "rules.mjs");
  try {
    await build({
      entryPoints: [join(import.meta.dirname, "rules-alone.ts")],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      minifySyntax: true,
    });
    const { measureRules } = (await import(pathToFileURL(outfile).href)) as typeof import("./rules-alone.ts");
    return `## Rules alone\n\n${measureRules()}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === import.meta.filename) console.log(await rulesBench());
