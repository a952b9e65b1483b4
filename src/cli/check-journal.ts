/**
 * The journal of a check: what was judged, so that a check that was killed can go on. Always:
 * - A line for each judged range, appended in one write with a checksum before it; a line that was cut off counts as not
 *   written, and so does all after it.
 * - It begins with what the check depends on. It is taken up again only when all of that is the same.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import { InputError } from "../base/index.ts";
import type { Judged } from "../engines/index.ts";
import { crc32 } from "../trace/index.ts";

const version = 1;
const fileName = "journal";

/** What a check's results depend on, each as text, with what to say when it differs. */
export const identityWords = {
  blackout: "it was written by another version of Blackout",
  program: "it is of another program or has other arguments",
  options: "the options are not the same",
  binaries: "the program or its recovery was built anew since",
  run: "the program did not run as it did then: its input or its files have changed",
} as const;
export type Identity = Readonly<Record<keyof typeof identityWords, string>>;

interface Line {
  readonly version?: number;
  readonly identity?: Identity;
  readonly judged?: Judged;
}

/** Whole numbers beyond JSON's are objects with their digits. */
const bigintKey = "$bigint";
const toPlain = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? { [bigintKey]: value.toString() } : value;
const fromPlain = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && bigintKey in value ? BigInt(String(value[bigintKey])) : value;

const checksum = (text: string): string => (crc32(new TextEncoder().encode(text)) >>> 0).toString(16).padStart(8, "0");

function lineText(line: Line): string {
  const text = JSON.stringify(line, toPlain);
  return `${checksum(text)} ${text}\n`;
}

/** Undefined for a line that is not whole. */
function parseLine(text: string): Line | undefined {
  const json = text.slice(9);
  return text[8] === " " && text.slice(0, 8) === checksum(json) ? (JSON.parse(json, fromPlain) as Line) : undefined;
}

export interface Recorded {
  readonly identity: Identity;
  readonly judged: readonly Judged[];
  /** Of the file, up to where its lines are whole. */
  readonly bytes: number;
}

/** Undefined when there is no journal, or none with a beginning. */
export function readJournal(folder: string): Recorded | undefined {
  const file = join(folder, fileName);
  if (!fs.existsSync(file)) return undefined;
  const texts = fs.readFileSync(file, "utf8").split("\n").slice(0, -1);
  const lines: Line[] = [];
  let bytes = 0;
  for (const text of texts) {
    const line = parseLine(text);
    if (line === undefined) break;
    lines.push(line);
    bytes += Buffer.byteLength(text) + 1;
  }
  const [head, ...rest] = lines;
  if (head?.version !== version || head.identity === undefined) return undefined;
  return { identity: head.identity, judged: rest.flatMap(({ judged }) => judged ?? []), bytes };
}

/** Throws when the journal is not of this check; only what is known by now is compared. */
export function demandSame(folder: string, recorded: Identity, now: Partial<Identity>): void {
  for (const [name, says] of Object.entries(identityWords)) {
    const key = name as keyof Identity;
    if (now[key] !== undefined && now[key] !== recorded[key])
      throw new InputError(
        "check/resume",
        `The journal in ${folder} cannot be taken up again: ${says}. Run without --resume to start anew.`,
        { folder, differs: key },
      );
  }
}

export class Journal {
  readonly #folder: string;
  readonly #fd: number;

  private constructor(folder: string, fd: number) {
    this.#folder = folder;
    this.#fd = fd;
  }

  /** In place of one that is there: whoever still writes to that one does so unseen. */
  static create(folder: string, identity: Identity): Journal {
    try {
      if (!fs.existsSync(folder)) fs.mkdirSync(folder);
      fs.rmSync(join(folder, fileName), { force: true });
      const journal = new Journal(folder, fs.openSync(join(folder, fileName), "ax", 0o600));
      journal.#append({ version, identity });
      return journal;
    } catch (error) {
      const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
      throw new InputError(
        "check/journal",
        `The journal in ${folder} cannot be written (${reason}): name another directory with --journal, or give --no-journal.`,
        { folder },
      );
    }
  }

  /** Goes on after what was read. */
  static resume(folder: string, { bytes }: Recorded): Journal {
    fs.truncateSync(join(folder, fileName), bytes);
    return new Journal(folder, fs.openSync(join(folder, fileName), "a"));
  }

  add({ from, to, groups, tested }: Judged): void {
    this.#append({ judged: { from, to, groups, tested } });
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  /** The check is done: nothing is left to take up. A journal of another check that took this one's name stays. */
  remove(): void {
    const file = join(this.#folder, fileName);
    const ours = fs.fstatSync(this.#fd).ino === fs.statSync(file, { throwIfNoEntry: false })?.ino;
    this.close();
    if (!ours) return;
    fs.rmSync(file, { force: true });
    try {
      fs.rmdirSync(this.#folder);
    } catch {
      // Something else is in it.
    }
  }

  #append(line: Line): void {
    fs.writeSync(this.#fd, lineText(line));
  }
}
