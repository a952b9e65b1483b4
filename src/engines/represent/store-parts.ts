/**
 * Which objects each store of a trace belongs to, and to which field of each (Squint, steps C1 and C2): the struct or array
 * that it changed and all that lie around it, from debug information. Always:
 * - Stores come in the order of the trace: what one statement stored without a gap tells which part of it each store is.
 * - A store that debug information says nothing about belongs to the whole file, as a field that stands for the instruction
 *   with its callers and the place within its line. Without any debug information these are all.
 */
import { outsideTheSystem, ownPosition, statementOf } from "../../crash/finding/index.ts";
import { type Membership, StoreNames } from "../../program/symbols/index.ts";
import type { Places } from "../../session/subject/index.ts";
import type { TraceTables } from "../../trace/events/index.ts";
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

/** An object around a store, wherever the store goes. */
interface PartFrom {
  readonly type: number;
  readonly field: number;
  /** From the store's first byte to where the object begins. */
  readonly shift: number;
  readonly isArray: boolean;
}

/** A site with its callers. */
interface Context {
  readonly statement: number;
  readonly callers: readonly number[];
  /** Debug information says nothing, wherever the store goes. */
  nameless: boolean;
  /** By how far into a copy it is and how long: the objects around a store, where its address does not matter. */
  readonly known: Map<number, readonly PartFrom[]>;
}

interface Run {
  readonly statement: number;
  readonly start: number;
  readonly end: number;
}

const lineBytes = 64;
/** More than a store's record has. */
const mostBytes = 256;
/** A long copy is in as many places as it has words. */
const mostKnown = 4096;
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
    const around = context.nameless ? [] : this.#partsAround(store, context, start);
    if (around.length === 0) {
      this.nameless++;
      return { parts: [this.#filePart(store, context)], owner: 0, statement: context.statement };
    }
    const parts = around.map(({ type, field, shift }): Part => {
      const begins = placeNumber(store.file, store.offset + shift);
      return { object: this.#known.parts.object(type, begins), field, begins };
    });
    const owner = around.findLastIndex(({ isArray }) => !isArray);
    return { parts, owner: Math.max(owner, 0), statement: context.statement };
  }

  /** The thread does something else than to store. */
  pause(thread: number): void {
    this.#runs.delete(thread);
  }

  #partsAround(store: TracedStore, context: Context, start: number): readonly PartFrom[] {
    const key = (store.address - start) * mostBytes + store.size;
    const known = context.known.get(key);
    if (known !== undefined) return known;
    const { members, isAnywhere } = this.#membersOf(store, context, start);
    const { parts } = this.#known;
    const around = members.map(({ type, instance, pattern }): PartFrom => {
      const field = parts.field(type.number, type.name, pattern);
      return { type: type.number, field, shift: instance! - store.address, isArray: type.kind === "array" };
    });
    if (isAnywhere && context.known.size < mostKnown) context.known.set(key, around);
    return around;
  }

  /** The objects around the store of which it is known where they begin; and whether it would be the same at any other address. */
  #membersOf(store: TracedStore, context: Context, start: number) {
    const { site, address, size } = store;
    let isAnywhere = true;
    const question = {
      site,
      stack: context.callers,
      address,
      size,
      start,
      // Who asks for it has counted from the beginning of the pool.
      get mapping() {
        isAnywhere = false;
        return store.mapping;
      },
    };
    const found = this.#names.name(question);
    if (found === undefined) context.nameless = true;
    const isObject = ({ type, instance }: Membership) => instance !== undefined && objectKinds.has(type.kind);
    return { members: (found?.members ?? []).filter(isObject), isAnywhere };
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
      context = { statement, callers: this.#tables.contexts.stack(stack), nameless: false, known: new Map() };
      ofStack.set(site, context);
    }
    return context;
  }
}
