/**
 * Insertions as changes to the user's source: after the statement that the user's own innermost frame is in, in the program's own
 * words, or in copies of the functions that led there. Always: a file is changed once, however many fixes touch it; what cannot
 * be placed is told with the reason, and the fix stands as a place in the code.
 */

import { assert } from "../../base/index.ts";
import type { Insert } from "../../crash/insertions/index.ts";
import {
  addedRange,
  applyInsertions,
  type Insertion,
  idiomAt,
  insertAfter,
  insertBefore,
  type LibraryCopy,
  libraryCopy,
  loopsOf,
  nodeAt,
  placeAfter,
  type Reach,
  type SourceCall,
  type SourceNode,
  unifiedDiff,
  writeAt,
  writtenAt,
} from "../../program/source/index.ts";
import type { Frame, TraceEvent } from "../../trace/events/index.ts";
import { Copies, calledCopy } from "./copies.ts";
import { callsAlong, rangeAtCall } from "./hoist.ts";
import { flushBehindLoop } from "./loops.ts";
import { type OpenSource, OpenSources, type SourcePorts } from "./open-sources.ts";
import type { Fix, PatchedInsert } from "./repair.ts";
import { isWord, rangesEachTime, type StoreEvent } from "./stored-ranges.ts";

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
  /** What they stand in the place of; else they come after it. */
  readonly instead?: string;
  readonly unplaced?: string;
}

/** Both at one place are one call, where the program has one. */
interface Wanted {
  readonly frame: Frame | undefined;
  /** The calls that led there, innermost first, down from the frame itself. */
  readonly frames: readonly Frame[];
  /** Below the call so many levels above. */
  readonly level: number;
  readonly ops: Set<Insert["op"]>;
  /** Its fence stands behind so many loops, and its flush behind the innermost. */
  loops: number;
  isBehindLoop: boolean;
  /** What is stored there all over the run. */
  readonly stores: StoreEvent[];
}

/** Text for one place, not yet put anywhere. */
interface Made {
  readonly statements: readonly string[];
  readonly insertions: readonly Insertion[];
  readonly instead?: string;
  /** Where it comes after, if that is not the place itself. */
  readonly line?: number;
}

export class SourcePatch {
  readonly #ports: SourcePorts;
  readonly #sources: OpenSources;
  readonly #copies: Copies;
  readonly #changed = new Map<OpenSource, Map<string, readonly Insertion[]>>();

  constructor(ports: SourcePorts, sources = new OpenSources(ports)) {
    this.#ports = ports;
    this.#sources = sources;
    this.#copies = new Copies(sources);
  }

  add(fix: Fix): readonly PlacedInsert[] {
    return [...this.#wanted(fix)].flatMap((one) => {
      if (one.level > 0) return this.#placeInCopy(one);
      return one.loops > 0 ? this.#placeBehindLoop(one) : [this.#place(one)];
    });
  }

  /** The range that a store changes, added to its transaction before that. */
  addRange(frames: readonly Frame[]): PlacedInsert {
    const frame = this.#sources.ownFrame(frames);
    const unplaced = (reason: string): PlacedInsert => ({ frame, statements: [], unplaced: reason });
    if (frame?.file === undefined) return unplaced(noSource);
    const open = this.#sources.open(frame.file);
    if (open === undefined) return unplaced(`${frame.file} cannot be read, or is neither C, C++ nor Rust`);
    const node = nodeAt(open.root, { line: frame.line!, column: frame.column ?? 0 });
    const placement = node && placeAfter(node);
    if (node === undefined || placement === undefined) return unplaced(`${frame.file} has no line ${frame.line}`);
    if (placement.kind === "nowhere") return unplaced(placement.reason);
    const range = writtenAt(node, placement.statement, open.repeatable, open.bitFields);
    if (range === undefined) return unplaced(notRepeatable);
    const statement = addedRange(open.root, [open.text, ...open.headers], range);
    if (statement === undefined) return unplaced("the program has no call of its own that adds a range");
    this.#change(open, insertBefore(open.text, placement, [statement]));
    return { frame, statements: [statement] };
  }

  changes(): readonly SourceChange[] {
    const copied = [...this.#copies.paths].map((path) => this.#sources.open(path)!);
    return [...new Set([...this.#changed.keys(), ...copied])].map((source) => {
      const { path, text } = source;
      const made = [...(this.#changed.get(source)?.values() ?? [])].flat();
      const insertions = [...made, ...this.#copies.insertionsIn(source)];
      const after = applyInsertions(text, insertions);
      return { path, before: text, after, diff: unifiedDiff(this.#ports.shownPath(path), text, after) };
    });
  }

  #wanted({ inserts, places }: Fix): Iterable<Wanted> {
    const wanted = new Map<string, Wanted>();
    for (const { op, after, level = 0, loops = 0, isBehindLoop = false, stores = [] } of inserts) {
      const { frame, frames, key } = this.#ownPlace(after, places, level);
      if (!wanted.has(key))
        wanted.set(key, {
          frame,
          frames,
          level,
          ops: new Set(),
          loops: 0,
          isBehindLoop: false,
          stores: [],
        });
      const one = wanted.get(key)!;
      one.ops.add(op);
      one.loops = Math.max(one.loops, loops);
      one.isBehindLoop ||= isBehindLoop;
      const given = stores.length > 0 ? stores : isStore(after) ? [after] : [];
      one.stores.push(...given.filter((store) => this.#ownPlace(store, places, level).key === key));
    }
    return wanted.values();
  }

  /** The call in the user's source that an event is below. */
  #ownPlace({ site, stack }: PatchedInsert["after"], { resolver }: Fix["places"], level: number) {
    const all = resolver.frames(site, stack);
    const frame = this.#sources.ownFrame(all);
    const frames = frame === undefined ? [] : all.slice(all.indexOf(frame));
    const key = frames
      .slice(0, level + 1)
      .map(({ file, line, column }) => `${file}:${line}:${column}`)
      .join();
    return { frame, frames, key };
  }

  #place(wanted: Wanted): PlacedInsert {
    const { frame } = wanted;
    const made = this.#make(wanted, wanted.ops);
    if (typeof made === "string") return { frame, statements: [], unplaced: made };
    this.#change(this.#sources.open(frame!.file!)!, made.insertions, wanted.ops.has("fence"));
    return placedAt(frame!, made);
  }

  /** What is flushed in a loop has its fence behind it; a fence alone moves there. */
  #placeBehindLoop(wanted: Wanted): readonly PlacedInsert[] {
    const { frame, ops, loops } = wanted;
    const source = this.#sources.open(frame!.file!)!;
    const node = nodeAt(source.root, { line: frame!.line!, column: frame!.column ?? 0 })!;
    const fence = this.#fenceAfter(node, source, loops);
    const flushed = ops.has("flush") ? [this.#place({ ...wanted, ops: flushOnly })] : [];
    if (typeof fence === "string") return [...flushed, { frame, statements: [], unplaced: fence }];
    this.#change(source, fence.insertions);
    return [...flushed, { frame: { ...frame!, line: fence.line }, statements: fence.statements }];
  }

  /** A flush in the copy of the function, the copies of those that led there, and a fence after the call that they hang on. */
  #placeInCopy(wanted: Wanted): readonly PlacedInsert[] {
    const { frame, frames, level, ops, loops } = wanted;
    const calls = callsAlong(this.#sources.functions, frames).slice(0, level);
    const made = this.#make(wanted, flushOnly);
    const functions = calls.map(({ callee }) => this.#sources.functions.named(callee)!);
    const refused = calls.map((call, index) => this.#copies.whyNot(functions[index]!, call)).find((one) => one);
    const outer = calls.at(-1);
    assert(outer !== undefined, "a fix is hoisted to a call that is in the source");
    const source = this.#sources.open(outer.caller.path)!;
    const fence = this.#fenceAfter(outer.node, source, loops);
    if (typeof made === "string" || refused !== undefined || typeof fence === "string")
      return [this.#placeAfterCall(wanted, calls) ?? this.#place(wanted)];
    for (const [index, call] of calls.entries()) this.#copies.call(functions[index]!, call);
    this.#copies.add(functions[0]!, made.insertions);
    for (const [index, call] of calls.slice(0, -1).entries())
      this.#copies.add(functions[index + 1]!, [calledCopy(call)]);
    this.#change(source, [calledCopy(outer)]);
    if (ops.has("fence")) this.#change(source, fence.insertions);
    return [
      placedAt(frame!, made),
      { frame: frames[level], statements: [`${outer.callee}_PM(...);`, ...(ops.has("fence") ? fence.statements : [])] },
    ];
  }

  /** Of what cannot be copied, what was stored is flushed after the call, in the caller's words. */
  #placeAfterCall({ frames, level, ops, stores }: Wanted, calls: readonly SourceCall[]): PlacedInsert | undefined {
    const call = calls.at(-1);
    const range = call && rangeAtCall(this.#sources, frames, calls);
    if (call === undefined || range === undefined) return undefined;
    const source = this.#sources.open(call.caller.path)!;
    const placement = placeAfter(call.node);
    const idiom = idiomAt(call.node, source.helpers, source.text, source.headers, {
      withinLine: isWordEachTime(stores, call.node) && range.isWider !== true,
    });
    const statements = (ops.has("fence") ? idiom.persist : idiom.flush)?.(range);
    if (statements === undefined || placement.kind === "nowhere") return undefined;
    this.#change(source, insertAfter(source.text, placement, statements));
    return { frame: frames[level], statements };
  }

  /** After the statement, or behind so many of the loops around it. */
  #fenceAfter(node: SourceNode, { text, helpers, headers }: OpenSource, loops = 0): (Made & { line: number }) | string {
    const placement = placeAfter(loopsOf(node)[loops - 1] ?? node);
    if (placement.kind === "nowhere") return placement.reason;
    const { fence } = idiomAt(node, helpers, text, headers);
    if (fence === undefined) return noFence;
    const line = placement.statement.endPosition.row + 1;
    return { statements: fence, insertions: insertAfter(text, placement, fence), line };
  }

  #make({ frame, stores, isBehindLoop }: Wanted, ops: ReadonlySet<Insert["op"]>): Made | string {
    if (frame?.file === undefined) return noSource;
    const open = this.#sources.open(frame.file);
    if (open === undefined) return `${frame.file} cannot be read, or is neither C, C++ nor Rust`;
    const node = nodeAt(open.root, { line: frame.line!, column: frame.column ?? 0 });
    if (node === undefined) return `${frame.file} has no line ${frame.line}`;
    const placement = placeAfter(node);
    const reach = { withinLine: isWordEachTime(stores, node) };
    const behind = isBehindLoop && !ops.has("fence") ? flushBehindLoop(node, open, reach) : undefined;
    if (behind !== undefined) {
      const statements = [behind.statement];
      const line = behind.placement.statement.endPosition.row + 1;
      return { statements, insertions: insertAfter(open.text, behind.placement, statements), line };
    }
    const copied = placement.kind === "nowhere" ? undefined : copyFor(ops, node, placement.statement, open, reach);
    if (copied !== undefined && !copied.isAnyMemory) return madeOfCopy(copied);
    if (placement.kind === "nowhere") return placement.reason;
    const statements = statementsFor(ops, node, placement.statement, open, reach);
    if (typeof statements !== "string")
      return { statements, insertions: insertAfter(open.text, placement, statements) };
    return copied === undefined ? statements : madeOfCopy(copied);
  }

  /** Once, however many fixes ask for it; of two calls for one place, the one that leaves more durable. */
  #change(source: OpenSource, insertions: readonly Insertion[], isDurable = true): void {
    if (!this.#changed.has(source)) this.#changed.set(source, new Map());
    const changed = this.#changed.get(source)!;
    const [first] = insertions;
    const key = first?.instead === undefined ? JSON.stringify(insertions) : `instead of ${first.offset}`;
    if (isDurable || !changed.has(key)) changed.set(key, insertions);
  }
}

const placedAt = (frame: Frame, { statements, instead, line }: Made): PlacedInsert => ({
  frame: line === undefined ? frame : { ...frame, line },
  statements,
  ...(instead !== undefined && { instead }),
});

const isStore = (event: TraceEvent): event is StoreEvent => event.kind === "store" || event.kind === "non-temporal";

/** Whether what is stored is one word each time that the run comes by; calls may copy. */
function isWordEachTime(stores: readonly StoreEvent[], node: SourceNode): boolean {
  const ranges = rangesEachTime(stores, loopsOf(node).length > 0 && !isInCall(node));
  return ranges.length > 0 && ranges.every(isWord);
}

function isInCall(node: SourceNode): boolean {
  for (let at: SourceNode | null = node; at !== null && !at.type.endsWith("_statement"); at = at.parent)
    if (at.type === "call_expression" || at.type === "macro_invocation") return true;
  return false;
}

const flushOnly: Set<Insert["op"]> = new Set(["flush"]);

/** The library's copy in the place of what is written there by one of the C library's. */
function copyFor(
  ops: ReadonlySet<Insert["op"]>,
  node: SourceNode,
  statement: SourceNode,
  { helpers, text, headers, repeatable }: OpenSource,
  reach: Reach,
): LibraryCopy | undefined {
  const { copies } = idiomAt(node, helpers, text, headers, reach);
  const write = ops.has("flush") ? writeAt(node, statement) : undefined;
  return copies && write && libraryCopy(write, copies, ops.has("fence") ? "durable" : "flushed", repeatable);
}

const madeOfCopy = ({ node, text }: LibraryCopy): Made => ({
  statements: [`${text};`],
  insertions: [{ offset: node.startIndex, text, instead: node.endIndex - node.startIndex }],
  instead: node.childForFieldName("function")!.text,
});

const noSource = "no code of the program's own with debug information led there";
const notRepeatable = "what is written there cannot be said again without doing it again";
const noFence = "the program has no fence of its own to call";

function statementsFor(
  ops: ReadonlySet<Insert["op"]>,
  node: SourceNode,
  statement: SourceNode,
  { helpers, text, headers, repeatable, bitFields }: OpenSource,
  { withinLine }: Reach,
): readonly string[] | string {
  const range = writtenAt(node, statement, repeatable, bitFields);
  const reach = { withinLine: withinLine && range?.isWider !== true };
  const { flush, fence, persist } = idiomAt(node, helpers, text, headers, reach);
  if (!ops.has("flush")) return fence ?? noFence;
  if (range === undefined) return notRepeatable;
  const make = ops.has("fence") ? persist : flush;
  if (make === undefined) return "the program has no flush of its own to call";
  return make(range) ?? "the program's flush takes something else than what is written there";
}
