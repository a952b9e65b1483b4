/**
 * Loads the bundle of everything with what the build did ahead: V8's code cache, so that no command parses and compiles
 * what others did before it, and the parts that base/prepared.ts lists (docs/adr/0012-start-up.md). Always:
 * - All that is an aid alone: if it is missing or damaged it is left aside; a code cache of another version of V8 or for
 *   other switches V8 refuses. Then everything is done as without it.
 * - The files have the bundle's digest in their names, so neither is ever taken for that of another build.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import { type Prepared, type PreparedPart, preparedParts } from "../../base/index.ts";
import { readSealed, seal } from "../../host/index.ts";

export type Bundle = typeof import("./bundle.ts");
type Wrapper = (exports: object, require: NodeJS.Require, module: object, file: string, folder: string) => void;

/** The bundle's name without its ending, put in by tools/build.mjs. */
declare const bundleName: string;

const folder = import.meta.dirname;
const bundleFile = join(folder, `${bundleName}.cjs`);
const aheadFile = join(folder, `${bundleName}.ahead`);

/** What the build did ahead. */
export interface Ahead {
  readonly code: Uint8Array;
  readonly prepared: Prepared;
}

const alignment = 8;
const aligned = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

/** The parts' lengths, then the parts. V8 looks at no more of its cache than the head: a damaged one would end the process. */
export function sealAhead({ code, prepared }: Ahead): Buffer {
  const parts = [code, ...preparedParts.map((name) => prepared[name])];
  const lengths = Float64Array.from(parts.map(({ length }) => length));
  const padded = parts.map((part) => Buffer.concat([part], aligned(part.length)));
  return Buffer.concat(seal([new Uint8Array(lengths.buffer), ...padded]));
}

function readAhead(): Ahead | undefined {
  const data = readSealed(aheadFile);
  if (data === undefined) return undefined;
  let at = (1 + preparedParts.length) * Float64Array.BYTES_PER_ELEMENT;
  const part = (index: number): Buffer => {
    const length = data.readDoubleLE(index * Float64Array.BYTES_PER_ELEMENT);
    const bytes = data.subarray(at, at + length);
    at += aligned(length);
    return bytes;
  };
  const code = part(0);
  const prepared = Object.fromEntries(preparedParts.map((name, index) => [name, part(1 + index)] as const));
  return { code, prepared: prepared as Record<PreparedPart, Buffer> };
}

/** The build writes nothing but ASCII, wrapped into one function. */
export function compileBundle(ahead?: Ahead): { readonly script: Script; readonly bundle: Bundle } {
  const script = new Script(readFileSync(bundleFile, "latin1"), {
    filename: bundleFile,
    ...(ahead && { cachedData: ahead.code as Buffer }),
  });
  const module = { exports: {} };
  const run = script.runInThisContext() as Wrapper;
  run(module.exports, createRequire(import.meta.url), module, bundleFile, folder);
  const bundle = module.exports as Bundle;
  bundle.importWith((url) => import(url));
  if (ahead) bundle.usePrepared(ahead.prepared);
  return { script, bundle };
}

export const loadBundle = (): Bundle => compileBundle(readAhead()).bundle;
