/**
 * The events of threads and the loads of recovery as a graph: what loads may find and addresses may be, the cells that accesses cut
 * memory into, and an initial store for each of them. Always:
 * - An address whose possible values are not known ends the attempt: nothing is assumed of addresses.
 * - Each cell that may be loaded from has an initial store with what memory holds.
 */
import { INITIAL } from "../../../model/pmem/index.ts";
import type { Term, Terms } from "../../../smt/index.ts";
import type { EventGraph, Piece, Place, ProgramEvent, RecoveryLoad } from "../events/events.ts";
import { type AccessExtent, Cells } from "./cells.ts";
import { PossibleValues, united, type Values } from "./possible-values.ts";
import type { CrashedLoad } from "./recovery-memory.ts";
import { Unencodable } from "./unencodable.ts";

/** An event before its number, its place and its pieces are known. */
export type EventDraft = Omit<ProgramEvent, "id" | "place" | "pieces"> & {
  readonly address?: Term;
  /** Absent for flushes. */
  readonly size?: number;
  readonly at: number;
};

export interface GraphSources {
  readonly terms: Terms;
  readonly drafts: readonly EventDraft[];
  readonly recovery: readonly CrashedLoad[];
  /** Addresses from here on are threads' own. */
  readonly ownStart: number;
  readonly isMapped: (address: number, size: number) => boolean;
  readonly initial: (address: bigint, size: number) => bigint;
  readonly nameOf: (address: number) => string;
  /** An access goes to memory that is not mapped when `here` holds. */
  readonly strayed: (access: EventDraft | CrashedLoad, here: Term) => void;
}

interface Access {
  readonly address: Term;
  readonly addresses: ReadonlySet<bigint>;
  readonly size: number;
}

export function codeGraph(sources: GraphSources): EventGraph {
  return new CodeGraph(sources).run();
}

class CodeGraph {
  readonly #sources: GraphSources;
  readonly #terms: Terms;
  readonly #values: PossibleValues;

  constructor(sources: GraphSources) {
    this.#sources = sources;
    this.#terms = sources.terms;
    this.#values = possibleValues(sources);
  }

  run(): EventGraph {
    const { drafts, recovery } = this.#sources;
    const stored = drafts.map((draft) => (draft.size === undefined ? undefined : this.#access(draft)));
    const left = recovery.map((load) => this.#access(load)!);
    const extents = [...stored.filter((access) => access !== undefined), ...left];
    const cells = new Cells(extents);
    const events = drafts.map((draft, index) => this.#event(draft, stored[index], cells));
    const loads = recovery.flatMap((load, index) => this.#recoveryLoads(load, left[index]!, cells));
    const initial = initialCells(extents, cells).map(([address, size]) => this.#initialStore(address, size));
    return { events: [...initial, ...events].map((event, id) => ({ ...event, id })), recovery: loads };
  }

  #access(from: EventDraft | CrashedLoad): Access | undefined {
    const { address, at, size = 1 } = from;
    if (address === undefined) return undefined;
    const addresses = this.#values.of(address);
    if (addresses === undefined) throw new Unencodable("an access whose address could be anything", at);
    for (const each of addresses) {
      if (each >= BigInt(this.#sources.ownStart))
        throw new Unencodable("an access to the stack by an address that is not constant", at);
      if (!this.#sources.isMapped(Number(each), size))
        this.#sources.strayed(from, this.#terms.equal(address, this.#terms.constant(64, each)));
    }
    return { address, addresses, size };
  }

  #place({ address, addresses }: Omit<Access, "size">, offset: number): Place {
    const terms = this.#terms;
    const moved = [...addresses].map((each) => each + BigInt(offset));
    const term =
      moved.length === 1
        ? terms.constant(64, moved[0]!)
        : terms.compute("add", address, terms.constant(64, BigInt(offset)));
    return { address: term, line: terms.extract(term, 6, 58), ...(moved.length > 1 && { addresses: new Set(moved) }) };
  }

  #event(
    { address, size, at, ...event }: EventDraft,
    access: Access | undefined,
    cells: Cells,
  ): Omit<ProgramEvent, "id"> {
    const flushed = access ?? (address && this.#access({ ...event, address, at }));
    if (flushed === undefined) return event;
    const place = this.#place(flushed, 0);
    const cut = access === undefined ? [] : cells.piecesOf(access);
    if (cut.length <= 1) return { ...event, place };
    const part = (value: Term, from: number, bytes: number) => this.#terms.extract(value, 8 * from, 8 * bytes);
    const { found, stored } = event;
    const pieces = cut.map(
      ({ offset, size: bytes }): Piece => ({
        place: this.#place(access!, offset),
        ...(found !== undefined && { found: part(found, offset, bytes) }),
        ...(stored !== undefined && { stored: part(stored, offset, bytes) }),
      }),
    );
    return { ...event, place, pieces };
  }

  #recoveryLoads({ found, when }: CrashedLoad, access: Access, cells: Cells): RecoveryLoad[] {
    return cells.piecesOf(access).map(({ offset, size }) => ({
      place: this.#place(access, offset),
      found: this.#terms.extract(found, 8 * offset, 8 * size),
      when,
    }));
  }

  #initialStore(address: bigint, size: number): Omit<ProgramEvent, "id"> {
    const { initial, nameOf } = this.#sources;
    return {
      ...{ thread: INITIAL, kind: "W", reached: this.#terms.true },
      place: this.#place({ address: this.#terms.constant(64, address), addresses: new Set([address]) }, 0),
      stored: this.#terms.constant(8 * size, initial(address, size)),
      text: `initially ${nameOf(Number(address))}`,
    };
  }
}

function initialCells(extents: readonly AccessExtent[], cells: Cells): [bigint, number][] {
  const all = new Map<bigint, number>();
  for (const extent of extents)
    for (const { offset, size } of cells.piecesOf(extent))
      for (const address of extent.addresses) all.set(address + BigInt(offset), size);
  return [...all];
}

/** What loads may find and addresses may be: from what stores may store, until nothing is added. */
function possibleValues({ terms, drafts, recovery, initial }: GraphSources): PossibleValues {
  const found = new Map<Term, Values>();
  const loads = [...drafts.filter((draft) => draft.found !== undefined), ...recovery];
  for (const load of loads) found.set(load.found!, new Set());
  for (;;) {
    const values = new PossibleValues(terms, found);
    const stores = drafts
      .filter(({ stored }) => stored !== undefined)
      .map(({ address, stored, size }) => ({
        addresses: values.of(address!),
        stored: values.of(stored!),
        size: size!,
      }));
    let grew = false;
    for (const { address, size, found: variable } of loads) {
      const before = found.get(variable!);
      if (before === undefined) continue;
      const addresses = values.of(address!);
      const meeting = stores.map((store) => {
        const met = meetingOf({ addresses, size: size! }, store);
        return met === "never" ? none : met === "whole" ? store.stored : undefined;
      });
      const starts: Values = addresses && new Set([...addresses].map((each) => initial(each, size!)));
      const after = united([before, starts, ...meeting]);
      if (after !== undefined && after.size === before.size) continue;
      found.set(variable!, after);
      grew = true;
    }
    if (!grew) return values;
  }
}

const none: Values = new Set();

interface MayGo {
  readonly addresses: Values;
  readonly size: number;
}

/** Whether a load may find what a store stored: all of it as it was, or some of its bytes. */
function meetingOf(load: MayGo, store: MayGo): "never" | "whole" | "in part" {
  if (load.addresses === undefined || store.addresses === undefined)
    return load.size === store.size ? "whole" : "in part";
  let met: "never" | "whole" = "never";
  for (const from of store.addresses)
    for (let at = from - BigInt(load.size) + 1n; at < from + BigInt(store.size); at++) {
      if (!load.addresses.has(at)) continue;
      if (at !== from || load.size !== store.size) return "in part";
      met = "whole";
    }
  return met;
}
