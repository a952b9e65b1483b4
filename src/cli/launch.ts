/**
 * Loads the bundle of everything with V8's code cache, so that no command parses and compiles what earlier ones did
 * (docs/adr/0012-start-up.md). Always:
 * - The cache is an aid alone: one that is missing or damaged is left aside, one of another version of V8 or for other
 *   switches V8 refuses, and then the bundle is compiled as without one.
 * - Bundle and cache have the bundle's digest in their names, so neither is ever taken for that of another build.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";

export type Bundle = typeof import("./bundle.ts");
type Wrapper = (exports: object, require: NodeJS.Require, module: object, file: string, folder: string) => void;

/** The bundle's name without its ending, put in by tools/build.mjs. */
declare const bundleName: string;

const folder = import.meta.dirname;
const bundleFile = join(folder, `${bundleName}.cjs`);
const cacheFile = join(folder, `${bundleName}.cache`);

/** V8 itself looks at a cache's head only, and a damaged one would end the process. */
const digestOf = (data: Uint8Array): Buffer => createHash("sha256").update(data).digest();
const digestBytes = 32;

export const sealCache = (data: Uint8Array): Buffer => Buffer.concat([digestOf(data), data]);

function readCache(): Buffer | undefined {
  try {
    const sealed = readFileSync(cacheFile);
    const data = sealed.subarray(digestBytes);
    return digestOf(data).equals(sealed.subarray(0, digestBytes)) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** The build writes nothing but ASCII, wrapped into one function. */
export function compileBundle(cachedData: Buffer | undefined): { readonly script: Script; readonly bundle: Bundle } {
  const script = new Script(readFileSync(bundleFile, "latin1"), {
    filename: bundleFile,
    ...(cachedData && { cachedData }),
  });
  const module = { exports: {} };
  const run = script.runInThisContext() as Wrapper;
  run(module.exports, createRequire(import.meta.url), module, bundleFile, folder);
  const bundle = module.exports as Bundle;
  bundle.importWith((url) => import(url));
  return { script, bundle };
}

export const loadBundle = (): Bundle => compileBundle(readCache()).bundle;
