/**
 * Source places of code that reports told of before, a file of them for each program and library. Always: they are used
 * only while all files they came from, and those that were looked for in vain, are as they were then. Size, times and
 * inode tell, as they do for make and git.
 */
import type { HostPorts } from "../../base/index.ts";
import type { FrameMemory, PlaceInFile } from "../../program/symbols/index.ts";

type Fields = readonly (string | number | boolean | null)[];

/** What a file holds, as JSON. */
interface Stored {
  readonly sources: readonly (readonly [path: string, identity: string])[];
  readonly places: Readonly<Record<string, readonly [offset: number, frames: readonly Fields[]]>>;
}

interface Known {
  /** Of the file itself, before anything was read from it. */
  readonly identity: string;
  sources: Stored["sources"] | undefined;
  readonly places: Map<number, PlaceInFile>;
  hasGrown: boolean;
}

const maxPlaces = 10_000;

const known = new Map<string, Known>();

function recallAll(path: string, { cache, identityOf }: HostPorts): Known {
  const identity = identityOf(path);
  const bytes = cache.read(cache.name(path, "frames"));
  const stored = bytes && (JSON.parse(new TextDecoder().decode(bytes)) as Stored);
  if (!stored?.sources.every(([source, identity]) => identityOf(source) === identity))
    return { identity, sources: undefined, places: new Map(), hasGrown: false };
  const places = Object.entries(stored.places).map(([at, place]) => [Number(at), decode(place)] as const);
  return { identity, sources: stored.sources, places: new Map(places), hasGrown: false };
}

const decode = ([offset, frames]: Stored["places"][string]): PlaceInFile => ({
  offset,
  frames: frames.map((fields) => {
    const [name, file, line, column, inlined] = fields.map((field) => field ?? undefined);
    return { function: name, file, line, column, inlined } as PlaceInFile["frames"][number];
  }),
});

const encode = ({ offset, frames }: PlaceInFile): Stored["places"][string] => [
  offset,
  frames.map(({ function: name, file, line, column, inlined }) =>
    [name, file, line, column, inlined].map((field) => field ?? null),
  ),
];

function knownOf(path: string, ports: HostPorts): Known {
  const { cache } = ports;
  if (known.size === 0) ports.atEnd(() => keepFrames(cache));
  const found = known.get(path) ?? recallAll(path, ports);
  known.set(path, found);
  return found;
}

function keepFrames(cache: HostPorts["cache"]): void {
  for (const [path, { sources, places, hasGrown }] of known) {
    if (!hasGrown || sources === undefined || places.size > maxPlaces) continue;
    const stored: Stored = {
      sources,
      places: Object.fromEntries([...places].map(([at, place]) => [at, encode(place)])),
    };
    cache.write(cache.name(path, "frames"), [new TextEncoder().encode(JSON.stringify(stored))]);
  }
}

/** Paths are the guest's; `hostPath` tells where they lie. */
export const keptFrames = (hostPath: (path: string) => string, ports: HostPorts): FrameMemory => ({
  recall: (path, at) => knownOf(hostPath(path), ports).places.get(at),
  note: (path, at, place, [, ...others]) => {
    const [file, found] = [hostPath(path), knownOf(hostPath(path), ports)];
    found.sources ??= [
      [file, found.identity],
      ...others.map(hostPath).map((other) => [other, ports.identityOf(other)] as const),
    ];
    found.places.set(at, place);
    found.hasGrown = true;
  },
});
