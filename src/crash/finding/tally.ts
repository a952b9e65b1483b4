/**
 * Counts occurrences per rule, site and calling context without making an object for each. Always: the first occurrence
 * gives the draft its words; the others only count. Drafts come out in the order of their first occurrence.
 */
import type { Draft, Evidence, Mark, RuleInfo } from "./finding.ts";

export interface Occurrence {
  readonly says: string;
  readonly cause: Mark;
  readonly evidence: readonly Evidence[];
}

const keyWords = 3;
const vacant = 0xffff_ffff;

export class FindingTally {
  #keys = new Uint32Array(keyWords * 256).fill(vacant);
  #places = new Int32Array(256);
  readonly #drafts: { readonly rule: RuleInfo; readonly occurrence: Occurrence; count: number }[] = [];
  readonly #rules: RuleInfo[] = [];

  /** A number for a rule, by which its occurrences are counted. */
  enter(rule: RuleInfo): number {
    return this.#rules.push(rule) - 1;
  }

  /** Counts one more, or several; false when this rule has said nothing yet about the place. */
  again(rule: number, site: number, stack: number, times = 1): boolean {
    const slot = this.#slot(rule, site, stack);
    if (this.#keys[slot * keyWords] === vacant) return false;
    this.#drafts[this.#places[slot]!]!.count += times;
    return true;
  }

  add(rule: number, site: number, stack: number, occurrence: Occurrence): void {
    const slot = this.#slot(rule, site, stack);
    this.#keys.set([rule, site, stack], slot * keyWords);
    this.#places[slot] = this.#drafts.push({ rule: this.#rules[rule]!, occurrence, count: 1 }) - 1;
    if (this.#drafts.length * 2 > this.#places.length) this.#grow();
  }

  drafts(): Draft[] {
    return this.#drafts.map(({ rule, occurrence, count }) => ({ rule, ...occurrence, count }));
  }

  #slot(rule: number, site: number, stack: number): number {
    const mask = this.#places.length - 1;
    let hash = Math.imul(site, 0x9e3779b1) ^ Math.imul(stack, 0x85ebca6b) ^ Math.imul(rule, 0xc2b2ae35);
    hash ^= hash >>> 15;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const at = slot * keyWords;
      if (this.#keys[at] === vacant) return slot;
      if (this.#keys[at] === rule && this.#keys[at + 1] === site && this.#keys[at + 2] === stack) return slot;
    }
  }

  #grow(): void {
    const [keys, places] = [this.#keys, this.#places];
    this.#keys = new Uint32Array(keys.length * 2).fill(vacant);
    this.#places = new Int32Array(places.length * 2);
    for (const [slot, place] of places.entries()) {
      if (keys[slot * keyWords] === vacant) continue;
      const key = keys.subarray(slot * keyWords, slot * keyWords + keyWords);
      const moved = this.#slot(key[0]!, key[1]!, key[2]!);
      this.#keys.set(key, moved * keyWords);
      this.#places[moved] = place;
    }
  }
}
