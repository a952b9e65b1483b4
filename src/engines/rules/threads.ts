/** What each thread has flushed and not yet fenced. Only its own fence completes a thread's flushes (docs/MODEL.md, PM-4). */
export const pendingWords = 2;

export class ThreadState {
  readonly id: number;
  /** Entry and position up to which the flush covers its line, for each pending flush. */
  pending = new Uint32Array(pendingWords * 16);
  count = 0;
  /** Flushes since the last fence that left nothing pending: of clean lines, of other memory, synchronous ones. */
  others = 0;
  /** Position of the last fence that completed a flush. */
  lastOrdering = 0;
  /** Runs of neighbouring lines flushed from one place since the last fence. */
  groups = 0;
  /** Place of the newest flush, and of the first of each of the first two groups: site, stack, address, position. */
  readonly newest = new Uint32Array(4);
  readonly firstGroup = new Uint32Array(4);
  readonly secondGroup = new Uint32Array(4);
  /**
   * Position and calling context of a locked operation that completed the pending flushes. They are settled at the
   * thread's next event; until then it may turn out that the operation was not the program's own (see `Notes`).
   */
  lockedAt = 0;
  lockedStack = 0;
  /** Transactions the thread takes part in. */
  transactions = 0;

  constructor(id: number) {
    this.id = id;
  }

  /** Remembers a pending flush; returns where. */
  push(entry: number, bound: number): number {
    if (pendingWords * (this.count + 1) > this.pending.length) {
      const larger = new Uint32Array(this.pending.length * 2);
      larger.set(this.pending);
      this.pending = larger;
    }
    this.pending[pendingWords * this.count] = entry;
    this.pending[pendingWords * this.count + 1] = bound;
    return this.count++;
  }

  /** A flush of the newest one's line, or of the line right after it from the same place, belongs to the same group. */
  joinGroup(site: number, stack: number, address: number, position: number, anySite: boolean): void {
    const { newest } = this;
    const step = (address >>> 6) - (newest[2]! >>> 6);
    const next = step === 1 && newest[1] === stack && (anySite || newest[0] === site);
    const same = this.groups > 0 && (step === 0 || next);
    put(newest, site, stack, address, position);
    if (same) return;
    this.groups++;
    if (this.groups === 1) put(this.firstGroup, site, stack, address, position);
    else if (this.groups === 2) put(this.secondGroup, site, stack, address, position);
  }

  clear(): void {
    this.count = 0;
    this.others = 0;
    this.groups = 0;
    this.lockedAt = 0;
  }
}

/** Element by element: a copy by `set` costs more than four stores. */
function put(place: Uint32Array, site: number, stack: number, address: number, position: number): void {
  place[0] = site;
  place[1] = stack;
  place[2] = address;
  place[3] = position;
}
