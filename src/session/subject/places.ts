/** From sites of a trace to source places, through the files that the program had mapped. */
import { belowRoot, type HostPorts } from "../../base/index.ts";
import { ModuleMap, Resolver } from "../../program/symbols/index.ts";
import type { TraceTables } from "../../trace/events/index.ts";
import { keptFrames } from "./kept-frames.ts";

export interface Places {
  readonly modules: ModuleMap;
  readonly resolver: Resolver;
}

/** `root` is where the guest's `/` lies on the host. */
export function placesOf(tables: TraceTables, ports: HostPorts, root = "/"): Places {
  const modules = new ModuleMap(tables);
  const hostPath = (path: string) => belowRoot(root, path);
  const resolver = new Resolver({
    tables,
    modules,
    readFile: (path) => ports.readFile(hostPath(path)),
    inflate: ports.inflate,
    memory: keptFrames(hostPath, ports),
  });
  return { modules, resolver };
}
