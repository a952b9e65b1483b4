/**
 * What judges of one engine begin with, as a message. Always: full chunks of the trace's events go as pieces that a judge fetches
 * when it walks there, so that it begins at once and need not keep them.
 */
import { assert, type ScratchPort } from "../base/index.ts";
import type { WorkerSetup } from "../session/work/index.ts";
import { decodePlain, encodePlain, type GetPiece, type PutPiece, pieceBytes } from "./wire.ts";

export type FleetSetup = Omit<WorkerSetup, "scratch" | "stop">;

interface SentSetup {
  readonly setup: FleetSetup;
  /** Pieces of the full chunks, one after another. */
  readonly events: readonly string[];
}

export function encodeSetup(
  { scratch, stop: _, ...setup }: WorkerSetup,
  spill: Pick<ScratchPort, "read"> | undefined,
  put: PutPiece,
): string {
  const { parts } = setup.trace;
  const chunkBytes = 4 * parts.chunkWords;
  assert(chunkBytes % pieceBytes === 0, "chunks of events are whole pieces");
  const events: string[] = [];
  const putAll = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at += pieceBytes) events.push(put(bytes.slice(at, at + pieceBytes)));
  };
  for (let chunk = 0; chunk < parts.spilledChunks; chunk++) {
    const bytes = new Uint8Array(chunkBytes);
    spill!.read(chunk * chunkBytes, bytes);
    putAll(bytes);
  }
  const full = parts.chunks.filter(({ length }) => length === parts.chunkWords);
  for (const { buffer, byteOffset, byteLength } of full) putAll(new Uint8Array(buffer, byteOffset, byteLength));
  const rest = parts.chunks.slice(full.length);
  const trace = {
    ...setup.trace,
    parts: { ...parts, chunks: rest, spilledChunks: parts.spilledChunks + full.length },
  };
  const sent: SentSetup = { setup: { ...setup, trace }, events };
  return encodePlain(sent, put);
}

/** Pieces one after another, each of the same length but the last, read as one file. */
class PiecesInOrder {
  readonly #names: readonly string[];
  readonly #get: GetPiece;
  /** Walks go forwards: the last piece is most often the next one. */
  #last: { readonly name: string; readonly bytes: Uint8Array } | undefined;

  constructor(names: readonly string[], get: GetPiece) {
    this.#names = names;
    this.#get = get;
  }

  read(offset: number, into: Uint8Array): void {
    for (let done = 0; done < into.length; ) {
      const at = offset + done;
      const part = this.#piece(Math.floor(at / pieceBytes)).subarray(
        at % pieceBytes,
        (at % pieceBytes) + into.length - done,
      );
      into.set(part, done);
      done += part.length;
    }
  }

  #piece(number: number): Uint8Array {
    const name = this.#names[number]!;
    if (this.#last?.name !== name) this.#last = { name, bytes: this.#get(name) };
    return this.#last.bytes;
  }
}

export function decodeSetup(
  text: string,
  get: GetPiece,
): { readonly setup: FleetSetup; readonly events: Pick<ScratchPort, "read"> } {
  const { setup, events } = decodePlain(text, get) as SentSetup;
  return { setup, events: new PiecesInOrder(events, get) };
}
