/**
 * Which objects each store of a trace belongs to, and to which field of each (Squint, steps C1 and C2): the struct or array
 * that it changed and all that lie around it, from debug information. Always:
 * - Stores come in the order of the trace: what one statement stored without a gap tells which part of it each store is.
 * - A store that debug information says nothing about belongs to the whole file, as a field that stands for the instruction
 *   with its callers and the place within its line. Without any debug information these are all.
 */
import { outsideTheSystem, ownPosition, statementOf } from "../../finding/index.ts";
import type { Places } from "../../subject/index.ts";
import { type Membership, StoreNames } from "../../symbols/index.ts";
import type { TraceTables } from "../../trace/index.ts";
import type { Part } from "./behaviours.ts";
import type { KnownUpdates } from "./known-updates.ts";
import { type PlaceNumber, placeNumber } from "./part-table.ts";

/** What a store's record says, and where it went. */
export interface TracedStore {
  readonly thread: number;
  readonly site: number;
  readonly stack: number;
  readonly address: number;
  readonly size: number;
  readonly file: number;
  /** In the file. */
  readonly offset: number;
  readonly mapping: { readonly start: number; readonly length: number };
}

export interface StoreBelongings {
  /** The object around all others first. */
  readonly parts: readonly Part[];
  /** Of the innermost struct among them. */
  readonly owner: number;
  /** The user's statement with its callers, by number. */
  readonly statement: number;
}

/** A site with its callers. */
interface Context {
  readonly statement: number;
  readonly callers: readonly number[];
  /** Debug information says nothing, wherever the store goes. */
  nameless: boolean;
}

interface Run {
  readonly statement: number;
  readonly start: number;
  readonly end: number;
}

const lineBytes = 64;
/** Callers that tell one use of a helper function from another where there are no names. */
const callersTold = 2;
const objectKinds: ReadonlySet<string> = new Set(["struct", "class", "union", "array"]);
/** What stands for the type of files. */
const fileType = -1;

export class StoreParts {
  readonly #places: Places;
  readonly #tables: TraceTables;
  readonly #known: KnownUpdates;
  readonly #names: StoreNames;
  readonly #contexts = new Map<number, Map<number, Context>>();
  /** By thread: what the last statement has stored so far without a gap. */
  readonly #runs = new Map<number, Run>();
  /** Stores that debug information named no object of. */
  nameless = 0;

  constructor(places: Places, tables: TraceTables, known: KnownUpdates) {
    this.#places = places;
    this.#tables = tables;
    this.#known = known;
    const isUsers = (pc: number) => outsideTheSystem(places.modules.at(pc)?.path ?? "/usr/");
    const codeAt = (pc: number) => (isUsers(pc) ? places.resolver.codeAt(pc) : undefined);
    this.#names = new StoreNames({ codeAt }, known.types);
  }

  of(store: TracedStore): StoreBelongings {
    const context = this.#contextOf(store.site, store.stack);
    const start = this.#startOf(store, context.statement);
    const members = context.nameless ? [] : this.#membersOf(store, context, start);
    if (members.length === 0) {
      this.nameless++;
      return { parts: [this.#filePart(store, context)], owner: 0, statement: context.statement };
    }
    const parts = members.map(({ type, instance, pattern }): Part => {
      const begins = placeNumber(store.file, store.offset + (instance! - store.address));
      const object = this.#known.parts.object(type.number, begins);
      return { object, field: this.#known.parts.field(type.number, type.name, pattern), begins };
    });
    const owner = members.findLastIndex(({ type }) => type.kind !== "array");
    return { parts, owner: Math.max(owner, 0), statement: context.statement };
  }

  /** The thread does something else than to store. */
  pause(thread: number): void {
    this.#runs.delete(thread);
  }

  /** The objects around the store of which it is known where they begin. */
  #membersOf(store: TracedStore, context: Context, start: number): readonly Membership[] {
    const { site, address, size, mapping } = store;
    const found = this.#names.name({ site, stack: context.callers, address, size, start, mapping });
    if (found === undefined) context.nameless = true;
    return (found?.members ?? []).filter(({ type, instance }) => instance !== undefined && objectKinds.has(type.kind));
  }

  #filePart({ site, file, offset }: TracedStore, { callers }: Context): Part {
    const begins: PlaceNumber = placeNumber(file, 0);
    const code = [site, ...callers.slice(0, callersTold)].map((each) => `0x${each.toString(16)}`).join("<");
    const field = this.#known.parts.field(fileType, "file", `${code}+${offset % lineBytes}`);
    return { object: this.#known.parts.object(fileType, begins), field, begins };
  }

  /** The first byte of the stores, without a gap, that the same statement of the user's made. */
  #startOf({ thread, address, size }: TracedStore, statement: number): number {
    const last = this.#runs.get(thread);
    const goesOn = last?.statement === statement && last.start <= address && address <= last.end;
    const start = goesOn ? last.start : address;
    const end = goesOn ? Math.max(last.end, address + size) : address + size;
    this.#runs.set(thread, { statement, start, end });
    return start;
  }

  #contextOf(site: number, stack: number): Context {
    const known = this.#contexts.get(stack);
    const ofStack = known ?? new Map<number, Context>();
    if (known === undefined) this.#contexts.set(stack, ofStack);
    let context = ofStack.get(site);
    if (context === undefined) {
      const frames = this.#places.resolver.frames(site, stack);
      const own = frames[ownPosition(frames, outsideTheSystem) ?? 0];
      const statement = this.#known.statements.number(statementOf(frames, outsideTheSystem), own?.function);
      context = { statement, callers: this.#tables.contexts.stack(stack), nameless: false };
      ofStack.set(site, context);
    }
    return context;
  }
}
