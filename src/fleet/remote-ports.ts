/**
 * The leader's host, as a judge on another computer sees it: every look is a question, asked once. Always: nothing of the judge's
 * own host is looked at for a guest, and nothing is changed on either.
 */
import type { HostEntry, HostFiles, HostPorts, HostStat } from "../base/index.ts";
import type { SentFile } from "./host-answers.ts";
import { decodePlain, type GetPiece } from "./wire.ts";

/** The answer to a question's text. */
export type AskLeader = (question: string) => string;

/** What all judges of a session know of the leader's host without asking. */
export interface LeaderHost {
  readonly uid: number;
  readonly gid: number;
  readonly directory: string;
}

const readOnly = -30;
const notAFile = -22;

/** Answers by question, for this judge. */
class Answers {
  readonly #ask: AskLeader;
  readonly #get: GetPiece;
  readonly #known = new Map<string, unknown>();

  constructor(ask: AskLeader, get: GetPiece) {
    this.#ask = ask;
    this.#get = get;
  }

  to<Answer>(...words: readonly string[]): Answer {
    const question = JSON.stringify(words);
    if (!this.#known.has(question)) this.#known.set(question, decodePlain(this.#ask(question), this.#get));
    return this.#known.get(question) as Answer;
  }
}

function copyOf(pieces: readonly string[], size: number, get: GetPiece): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    const bytes = get(piece);
    whole.set(bytes, at);
    at += bytes.length;
  }
  return whole;
}

function remoteFiles(answers: Answers, get: GetPiece, { uid, gid }: LeaderHost): HostFiles {
  const contents = new Map<string, Uint8Array>();
  const change = () => readOnly;
  return {
    uid,
    gid,
    hold: () => 0,
    lstat: (path) => answers.to<HostStat | number>("lstat", path),
    readlink: (path) => answers.to<string | number>("readlink", path),
    readdir: (path) => answers.to<readonly HostEntry[] | number>("readdir", path),
    read(path, offset, into) {
      const file = answers.to<SentFile>("file", path);
      if (typeof file === "number") return file;
      const whole = contents.get(path) ?? copyOf(file.pieces, file.size, get);
      contents.set(path, whole);
      const part = whole.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
    keep: () => notAFile,
    permits: (path, mask) => answers.to<boolean>("permits", path, `${mask}`),
    write: change,
    truncate: change,
    create: change,
    mkdir: change,
    symlink: change,
    link: change,
    unlink: change,
    rmdir: change,
    rename: change,
    chmod: change,
    setTimes: change,
  };
}

/** `own`: what is this computer's: its cache, its clock, its build of Blackout. */
export function remotePorts(own: HostPorts, leader: LeaderHost, ask: AskLeader, get: GetPiece): HostPorts {
  const answers = new Answers(ask, get);
  return {
    ...own,
    directory: leader.directory,
    files: remoteFiles(answers, get, leader),
    readFile: (path) => answers.to<Uint8Array | undefined>("contents", path),
    realPath: (path) => answers.to<string | undefined>("realPath", path),
    // Code is kept by the identity of its file, which is another computer's here.
    identityOf: (path) => `a fleet's: ${answers.to<string>("identity", path)}`,
  };
}
