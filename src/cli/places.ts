/** From sites of a trace to source places, through the files that the program had mapped. */
import { resolve } from "node:path";
import { inflateSync } from "node:zlib";
import { ModuleMap, Resolver } from "../symbols/index.ts";
import type { TraceTables } from "../trace/index.ts";
import { readIfThere } from "./files.ts";
import { keptFrames } from "./kept-frames.ts";

export interface Places {
  readonly modules: ModuleMap;
  readonly resolver: Resolver;
}

export function placesOf(tables: TraceTables, root = "/"): Places {
  const modules = new ModuleMap(tables);
  const hostPath = (path: string) => resolve(root, `.${path.startsWith("/") ? path : `/${path}`}`);
  const resolver = new Resolver({
    tables,
    modules,
    readFile: (path) => readIfThere(hostPath(path)),
    inflate: (bytes) => new Uint8Array(inflateSync(bytes)),
    memory: keptFrames(hostPath),
  });
  return { modules, resolver };
}
