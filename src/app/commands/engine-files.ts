/** Engines from `--engine FILE`. They are trusted code: they run in this process, with all its rights. */
import { InputError } from "../../base/index.ts";
import { crashEngines } from "../../engines/index.ts";
import { importFile } from "../../host/index.ts";
import { type CrashEngine, engineToolkit } from "../../session/work/index.ts";

async function loadEngine(file: string): Promise<CrashEngine> {
  const { engine } = await importFile(file, "engine");
  if (typeof engine !== "function")
    throw new InputError(
      "engines/none",
      `${file} exports no function \`engine\` that makes an engine: see docs/adding-an-engine.md.`,
      { file },
    );
  return engine(engineToolkit) as CrashEngine;
}

export async function loadEngines(files: readonly string[]): Promise<readonly CrashEngine[]> {
  const engines = await Promise.all(files.map(loadEngine));
  const taken = new Set(crashEngines.map(({ name }) => name));
  for (const { name } of engines) {
    if (taken.has(name))
      throw new InputError("engines/taken", `There is an engine ${name} already: give yours another name.`, { name });
    taken.add(name);
  }
  return engines;
}
