/**
 * The journal of a session: what was judged, so that one that was killed can go on. Always:
 * - A line for each judged unit, appended in one write with a checksum before it; a line that was cut off counts as not
 *   written, and so does all after it; one that comes twice counts once.
 * - It begins with what the session depends on. It is taken up again only when all of that is the same.
 */
import * as v from "valibot";
import { InputError } from "../../base/index.ts";
import { AppendFile, readAppended } from "../../host/index.ts";
import type { RanBlocks } from "../../machine/index.ts";
import { crc32 } from "../../trace/events/index.ts";
import type { UnitResult } from "./engine.ts";
import { fromPlain, ranShape, resultShape, toPlain } from "./unit-text.ts";

const version = 5;
const fileName = "journal";

/** What a session's results depend on, each as text, with what to say when it differs. */
export const identityWords = {
  blackout: "it was written by another version of Blackout",
  program: "it is of another program or has other arguments",
  options: "the options are not the same",
  binaries: "the program or its recovery was built anew since",
  files: "a library or another file that the program or its recovery reads has changed since",
  run: "the program did not run as it did then: its input or its files have changed",
} as const;
export type Identity = Readonly<Record<keyof typeof identityWords, string>>;

/** A judged unit, with the name of its engine, and code that ran by then and in no entry before. */
export interface Entry {
  readonly engine: string;
  readonly result: UnitResult<unknown>;
  readonly ran?: RanBlocks;
}

interface Line {
  readonly version?: number;
  readonly identity?: Identity;
  readonly entry?: Entry;
}

const identityNames = Object.keys(identityWords) as (keyof Identity)[];
/** What every line has (Journaling.takeUp). */
const lineShape = v.object({
  version: v.exactOptional(v.number()),
  identity: v.exactOptional(v.strictObject(v.entriesFromList(identityNames, v.string()))),
  entry: v.exactOptional(
    v.object({
      engine: v.string(),
      result: resultShape,
      ran: v.exactOptional(ranShape),
    }),
  ),
});

const checksum = (text: string): string => (crc32(new TextEncoder().encode(text)) >>> 0).toString(16).padStart(8, "0");

function lineText(line: Line): string {
  const text = JSON.stringify(line, toPlain);
  return `${checksum(text)} ${text}\n`;
}

/** Undefined for a line that is not whole. */
function parseLine(text: string): Line | undefined {
  const json = text.slice(9);
  if (text[8] !== " " || text.slice(0, 8) !== checksum(json)) return undefined;
  try {
    const line: unknown = JSON.parse(json, fromPlain);
    return v.is(lineShape, line) ? line : undefined;
  } catch {
    return undefined;
  }
}

export interface Recorded {
  readonly identity: Identity;
  readonly entries: readonly Entry[];
  /** Of the file, up to where its lines are whole. */
  readonly bytes: number;
}

/** Undefined when there is no journal, or none with a beginning. */
export function readJournal(folder: string): Recorded | undefined {
  const lines = new Map<string, Line>();
  let bytes = 0;
  for (const text of readAppended(folder, fileName)?.split("\n").slice(0, -1) ?? []) {
    const line = parseLine(text);
    if (line === undefined) break;
    lines.set(text, line);
    bytes += new TextEncoder().encode(text).length + 1;
  }
  const [head, ...rest] = lines.values();
  if (head?.identity === undefined) return undefined;
  if (head.version !== version)
    throw new InputError(
      "check/resume",
      `The journal in ${folder} cannot be taken up again: ${identityWords.blackout}. Run without --resume to start anew.`,
      { folder },
    );
  return { identity: head.identity, entries: rest.flatMap(({ entry }) => entry ?? []), bytes };
}

/** Throws when the journal is not of this session; only what is known by now is compared. */
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
  readonly #file: AppendFile;

  private constructor(file: AppendFile) {
    this.#file = file;
  }

  static create(folder: string, identity: Identity): Journal {
    const journal = new Journal(AppendFile.create(folder, fileName));
    journal.#file.append(lineText({ version, identity }));
    return journal;
  }

  /** Goes on after what was read. */
  static resume(folder: string, { bytes }: Recorded): Journal {
    return new Journal(AppendFile.resume(folder, fileName, bytes));
  }

  add(entry: Entry): void {
    this.#file.append(lineText({ entry }));
  }

  close(): void {
    this.#file.close();
  }

  /** The work is done: nothing is left to take up. */
  remove(): void {
    this.#file.remove();
  }
}
