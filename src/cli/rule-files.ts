/** Rules from `--rule FILE`: JavaScript is imported as it is, TypeScript is bundled first. */
import { createRequire } from "node:module";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { InputError } from "../base/index.ts";
import { type CustomRule, ruleCatalogue, rulesOfModule } from "../engines/index.ts";
import { importModule } from "../host/index.ts";

/** By a call that is no import: the bundler is not to be bundled into our own command. */
const loadBundler = () => createRequire(import.meta.url)("esbuild") as typeof import("esbuild");

async function importFile(file: string): Promise<Record<string, unknown>> {
  const path = resolve(file);
  if (extname(path) !== ".ts") return await importModule(pathToFileURL(path).href);
  const { outputFiles } = await loadBundler().build({
    entryPoints: [path],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "silent",
  });
  const code = Buffer.from(outputFiles[0]!.contents).toString("base64");
  return await importModule(`data:text/javascript;base64,${code}`);
}

export async function loadRules(files: readonly string[]): Promise<readonly CustomRule[]> {
  const rules: CustomRule[] = [];
  for (const file of files) {
    const module = await importFile(file).catch((error: unknown) => {
      const lines = String(error instanceof Error ? error.message : error).split("\n");
      const reason = lines.find((line) => !line.startsWith("Build failed"));
      throw new InputError("rules/unloadable", `The rule ${file} cannot be loaded: ${reason}.`, { file });
    });
    rules.push(...rulesOfModule(file, module));
  }
  refuseTaken(rules);
  return rules;
}

/** Reports and suppressions name a rule by its id alone. */
function refuseTaken(rules: readonly CustomRule[]): void {
  const taken = new Set(ruleCatalogue.map(({ id }) => id));
  for (const { id } of rules) {
    if (taken.has(id))
      throw new InputError("rules/taken", `There is a rule ${id} already: give yours another id.`, { id });
    taken.add(id);
  }
}
