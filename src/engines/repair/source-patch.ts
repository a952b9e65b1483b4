/**
 * Insertions as changes to the user's source: after the statement that the user's own innermost frame is in, in the program's own
 * words. Always: a file is read once and changed once, however many fixes touch it; what cannot be placed is told with the
 * reason, and the fix stands as a place in the code.
 */

import type { Insert } from "../../inserts/index.ts";
import {
  applyInsertions,
  type DurabilityHelper,
  helpersIn,
  type Insertion,
  idiomAt,
  insertAfter,
  languageOf,
  nodeAt,
  placeAfter,
  type Reach,
  type RepeatableCalls,
  repeatableCalls,
  type SourceNode,
  type Syntax,
  unifiedDiff,
  writtenAt,
} from "../../source/index.ts";
import type { Frame } from "../../trace/index.ts";
import type { Fix } from "./repair.ts";

export interface SourcePorts {
  readonly syntax: Syntax;
  /** A file as debug information names it; undefined when it is not there or not to be read. */
  readSource(path: string): string | undefined;
  isOwn(module: string): boolean;
  /** How a path is told in a diff. */
  shownPath(path: string): string;
}

export interface SourceChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly diff: string;
}

/** What is inserted at one place: where it is, what it is, and why it is not in the source, if so. */
export interface PlacedInsert {
  readonly frame: Frame | undefined;
  readonly statements: readonly string[];
  readonly unplaced?: string;
}

interface OpenSource {
  readonly text: string;
  readonly root: SourceNode;
  readonly helpers: readonly DurabilityHelper[];
  readonly headers: readonly string[];
  readonly repeatable: RepeatableCalls;
  readonly insertions: Insertion[];
  readonly known: Set<string>;
}

/** Both at one place are one call, where the program has one. */
interface Wanted {
  readonly frame: Frame | undefined;
  readonly ops: Set<Insert["op"]>;
  /** Addresses that are stored to there. */
  readonly bytes: { first: number; end: number };
}

export class SourcePatch {
  readonly #ports: SourcePorts;
  readonly #files = new Map<string, OpenSource | undefined>();

  constructor(ports: SourcePorts) {
    this.#ports = ports;
  }

  add({ inserts, places }: Fix): readonly PlacedInsert[] {
    const wanted = new Map<string, Wanted>();
    for (const { op, after } of inserts) {
      const frame = this.#ownFrame(places.resolver.frames(after.site, after.stack));
      const key = `${frame?.file}:${frame?.line}:${frame?.column}`;
      if (!wanted.has(key))
        wanted.set(key, { frame, ops: new Set(), bytes: { first: Number.POSITIVE_INFINITY, end: 0 } });
      const one = wanted.get(key)!;
      one.ops.add(op);
      if (!("address" in after)) continue;
      one.bytes.first = Math.min(one.bytes.first, after.address);
      one.bytes.end = Math.max(one.bytes.end, after.address + ("size" in after ? after.size : 1));
    }
    return [...wanted.values()].map((one) => this.#place(one));
  }

  changes(): readonly SourceChange[] {
    return [...this.#files].flatMap(([path, open]) => {
      if (open === undefined || open.insertions.length === 0) return [];
      const after = applyInsertions(open.text, open.insertions);
      return [{ path, before: open.text, after, diff: unifiedDiff(this.#ports.shownPath(path), open.text, after) }];
    });
  }

  /** The innermost call in source that is the user's to change, and that does more than flush or fence. */
  #ownFrame(frames: readonly Frame[]): Frame | undefined {
    const own = frames.filter(
      ({ module, file, line }) =>
        module !== undefined && this.#ports.isOwn(module) && file !== undefined && line !== undefined,
    );
    const isHelper = ({ file, function: name }: Frame) =>
      this.#open(file!)?.helpers.some((helper) => helper.name === name) ?? false;
    const patchable = own.filter(({ file }) => this.#open(file!) !== undefined);
    return patchable.find((frame) => !isHelper(frame)) ?? patchable[0] ?? own[0];
  }

  #place({ frame, ops, bytes }: Wanted): PlacedInsert {
    const nowhere = (unplaced: string): PlacedInsert => ({ frame, statements: [], unplaced });
    if (frame?.file === undefined) return nowhere("no code of the program's own with debug information led there");
    const open = this.#open(frame.file);
    if (open === undefined) return nowhere(`${frame.file} cannot be read, or is neither C nor C++`);
    const node = nodeAt(open.root, { line: frame.line!, column: frame.column ?? 0 });
    if (node === undefined) return nowhere(`${frame.file} has no line ${frame.line}`);
    const placement = placeAfter(node);
    if (placement.kind === "nowhere") return nowhere(placement.reason);
    const statements = statementsFor(ops, node, placement.statement, open, {
      withinLine: isWord(bytes),
    });
    if (typeof statements === "string") return nowhere(statements);
    const key = `${placement.statement.endIndex} ${statements.join(" ")}`;
    if (!open.known.has(key)) open.insertions.push(...insertAfter(open.text, placement, statements));
    open.known.add(key);
    return { frame, statements };
  }

  #open(path: string): OpenSource | undefined {
    if (!this.#files.has(path)) this.#files.set(path, this.#read(path));
    return this.#files.get(path);
  }

  #read(path: string): OpenSource | undefined {
    const language = languageOf(path);
    const text = this.#ports.readSource(path);
    if (language === undefined || text === undefined) return undefined;
    const { syntax } = this.#ports;
    const root = syntax.parse(text, language).rootNode;
    const headers = [...this.#headersOf(path, text, new Set([path]))];
    const roots = [root, ...headers.map((one) => syntax.parse(one, language).rootNode)];
    const [helpers, repeatable] = [helpersIn(roots), repeatableCalls(roots)];
    return { text, root, helpers, headers, repeatable, insertions: [], known: new Set() };
  }

  /** The program's own headers, and theirs. */
  *#headersOf(path: string, text: string, seen: Set<string>): Iterable<string> {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    for (const [, name] of text.matchAll(/^[ \t]*#[ \t]*include[ \t]*"([^"]+)"/gm)) {
      const header = folder + name;
      const contents = seen.has(header) ? undefined : this.#ports.readSource(header);
      seen.add(header);
      if (contents === undefined) continue;
      yield contents;
      yield* this.#headersOf(header, contents, seen);
    }
  }
}

const WORD_BYTES = 8;

/** One word, which no object is that lies on two lines unless it is misaligned. */
const isWord = ({ first, end }: Wanted["bytes"]): boolean =>
  Math.floor(first / WORD_BYTES) === Math.floor((end - 1) / WORD_BYTES);

function statementsFor(
  ops: ReadonlySet<Insert["op"]>,
  node: SourceNode,
  statement: SourceNode,
  { helpers, text, headers, repeatable }: OpenSource,
  reach: Reach,
): readonly string[] | string {
  const { flush, fence, persist } = idiomAt(node, helpers, text, headers, reach);
  if (!ops.has("flush")) return fence ?? "the program has no fence of its own to call";
  const range = writtenAt(node, statement, repeatable);
  if (range === undefined) return "what is written there cannot be said again without doing it again";
  const make = ops.has("fence") ? persist : flush;
  return make === undefined ? "the program has no flush of its own to call" : make(range);
}
