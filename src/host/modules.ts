/** Modules that are only named at run time: rules and engines of the user's own. JavaScript is imported as it is. */
import { createRequire } from "node:module";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { InputError } from "../base/index.ts";

type Module = Record<string, unknown>;
type Importer = (url: string) => Promise<Module>;

let importer: Importer = (url) => import(url);

/** For the bundle, which is a script: a script cannot import, so what loads it lends it this. */
export function importWith(other: Importer): void {
  importer = other;
}

/** By a call that is no import: the bundler is not to be bundled into our own command. */
const loadBundler = () => createRequire(import.meta.url)("esbuild") as typeof import("esbuild");

/** TypeScript is bundled first. */
async function importAny(file: string): Promise<Module> {
  const path = resolve(file);
  if (extname(path) !== ".ts") return await importer(pathToFileURL(path).href);
  const { outputFiles } = await loadBundler().build({
    entryPoints: [path],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "silent",
  });
  const code = Buffer.from(outputFiles[0]!.contents).toString("base64");
  return await importer(`data:text/javascript;base64,${code}`);
}

/** `what` the file is to be, as complaints name it: "rule". */
export const importFile = (file: string, what: string): Promise<Module> =>
  importAny(file).catch((error: unknown) => {
    const lines = String(error instanceof Error ? error.message : error).split("\n");
    const reason = lines.find((line) => !line.startsWith("Build failed"));
    throw new InputError(`${what}s/unloadable`, `The ${what} ${file} cannot be loaded: ${reason}.`, { file });
  });
