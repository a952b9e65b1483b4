/**
 * A program's heap in persistent memory: a library of ours, preloaded, serves malloc from a file (lib/pm-heap.c, docs/pm-heap.md). The
 * program finds it in its own files, also where it may see few of the host's.
 */
import { type HostPorts, InputError } from "../../base/index.ts";
import type { WitnessSubject } from "../../crash/states/index.ts";
import { type Machine, pathFromText } from "../../machine/index.ts";

export type PmHeap = NonNullable<WitnessSubject["pmHeap"]>;

const libraryPath = "/tmp/.blackout-heap.so";
const preload = "LD_PRELOAD=";

/** What the program's environment has more; libraries that are preloaded anyway come after ours. */
export function heapEnvironment(heap: PmHeap | undefined, given: readonly string[]): readonly string[] {
  if (heap === undefined) return given;
  const others = given.filter((entry) => entry.startsWith(preload)).map((entry) => entry.slice(preload.length));
  return [
    ...given.filter((entry) => !entry.startsWith(preload)),
    `${preload}${[libraryPath, ...others].join(":")}`,
    `BLACKOUT_PM_HEAP=${heap.file}`,
    `BLACKOUT_PM_HEAP_BYTES=${heap.bytes}`,
    `BLACKOUT_PM_HEAP_FILL=${heap.fill ?? 0}`,
  ];
}

/** Puts the library among the files of a program that is loaded. */
export function placeHeap(heap: PmHeap | undefined, machine: Machine, program: string, ports: HostPorts): void {
  if (heap === undefined) return;
  if (!machine.isDynamic)
    throw new InputError(
      "heap/static",
      `${program} is linked statically, so that --pm-heap cannot give it another malloc: link it dynamically.`,
      { program },
    );
  const library = ports.heapLibrary();
  if (library === undefined)
    throw new InputError("heap/not-built", "The library for --pm-heap is not built: run make build where gcc is.");
  machine.writeFile(pathFromText(libraryPath), library);
}
