/** The real world behind the ports that everything else takes as parameters. */
import { realpathSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import type { HostPorts } from "../base/index.ts";
import { cacheName, keepsFiles, newestCache, readCache, removeCache, writeCache } from "./cache-folder.ts";
import { monotonicSeconds } from "./clock.ts";
import { atEnd } from "./endings.ts";
import { RealFiles } from "./files.ts";
import { ScratchFile } from "./scratch.ts";
import { ReplayableInput, standardStreams, stderrLine } from "./streams.ts";
import { readIfThere } from "./user-files.ts";

/** In one piece: zlib's own pieces of 16 KiB would be joined, and the result be copied once more. */
function inflateTo(bytes: Uint8Array, size: number): Uint8Array {
  const room = Math.max(64, size + 1);
  const { buffer, byteOffset, length } = inflateSync(bytes, { maxOutputLength: Math.max(1, size), chunkSize: room });
  return new Uint8Array(buffer, byteOffset, length);
}

function identityOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ") : "none";
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Beside the bundle; in the build's folder when run from the sources. */
const heapPlaces = ["./blackout-heap.so", "../../dist/blackout-heap.so"];

const heapLibrary = (): Uint8Array | undefined =>
  heapPlaces.map((place) => readIfThere(fileURLToPath(new URL(place, import.meta.url)))).find((bytes) => bytes);

export const realPorts = (): HostPorts => ({
  directory: process.cwd(),
  files: new RealFiles(),
  cache: {
    get keeps() {
      return keepsFiles();
    },
    name: cacheName,
    newest: newestCache,
    read: readCache,
    write: writeCache,
    remove: removeCache,
  },
  console: standardStreams,
  standardInput: () => new ReplayableInput(0),
  inputOf: (bytes) => ReplayableInput.of(bytes),
  openScratch: () => ScratchFile.open(),
  openSharedScratch: (shared) => ScratchFile.shared(shared),
  readFile: readIfThere,
  realPath,
  identityOf,
  heapLibrary,
  inflate: inflateTo,
  milliseconds: () => monotonicSeconds() * 1000,
  notice: (line) => void stderrLine(`blackout: ${line}`),
  atEnd: (work) => void atEnd(work),
});
