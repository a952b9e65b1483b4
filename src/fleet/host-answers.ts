/**
 * What a fleet's workers ask of the leader's host, and its answers: all that a guest can see of it. Always:
 * - A question has one answer in a session, whatever becomes of the file: what the first worker was told, all are told.
 * - Questions look and change nothing. A file's contents go as pieces.
 */
import { type HostPorts, InputError } from "../base/index.ts";
import { encodePlain, type PutPiece, pieceBytes } from "./wire.ts";

/** A regular file whole, or an error number. */
export type SentFile = { readonly size: number; readonly pieces: readonly string[] } | number;

const noSuchFile = -2;

function wholeFile({ files }: HostPorts, path: string, put: PutPiece): SentFile {
  const stat = files.lstat(path);
  if (typeof stat === "number") return stat;
  const pieces: string[] = [];
  let size = 0;
  for (let count = pieceBytes; count === pieceBytes; ) {
    const bytes = new Uint8Array(pieceBytes);
    count = files.read(path, size, bytes);
    if (count < 0) return count;
    if (count > 0) pieces.push(put(bytes.slice(0, count)));
    size += count;
  }
  return { size, pieces };
}

type Answerer = (host: HostPorts, words: readonly string[], put: PutPiece) => unknown;

const answerers: Readonly<Record<string, Answerer>> = {
  lstat: ({ files }, [path = ""]) => files.lstat(path),
  readlink: ({ files }, [path = ""]) => files.readlink(path),
  readdir: ({ files }, [path = ""]) => files.readdir(path),
  permits: ({ files }, [path = "", mask]) => files.permits(path, Number(mask)),
  file: (host, [path = ""], put) => wholeFile(host, path, put),
  /** By a path as the user writes it. */
  contents: (host, [path = ""]) => host.readFile(path),
  realPath: (host, [path = ""]) => host.realPath(path),
  identity: (host, [path = ""]) => host.identityOf(path),
};

/** The answer to a question, which is a name and its words; a message for `decodePlain`. */
export function answerFor(host: HostPorts, question: string, put: PutPiece): string {
  const words: unknown = JSON.parse(question);
  if (!Array.isArray(words) || !words.every((word) => typeof word === "string"))
    throw new InputError("fleet/question", "A question of the fleet is damaged.");
  const [name = "", ...rest] = words as string[];
  const answerer = Object.hasOwn(answerers, name) ? answerers[name] : undefined;
  return encodePlain(answerer === undefined ? noSuchFile : answerer(host, rest, put), put);
}
