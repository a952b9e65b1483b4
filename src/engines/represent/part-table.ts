/**
 * Objects and fields by number. Always: equal numbers mean the same object of the same type, or the same field of the same
 * type whatever the object; numbers are given in the order in which stores come, so that they do not depend on anything else.
 */

/** Where in all persistent files: a file's number and an offset in it. */
export type PlaceNumber = number;
const bytesPerFile = 2 ** 44;
export const placeNumber = (file: number, offset: number): PlaceNumber => file * bytesPerFile + offset;

export interface FieldName {
  /** `struct node`; what stands for a type where debug information names none. */
  readonly type: string;
  /** `entries[].value`. */
  readonly field: string;
}

export class PartTable {
  /** By type: from where an object begins to its number. */
  readonly #objects = new Map<number, Map<PlaceNumber, number>>();
  readonly #starting = new Map<PlaceNumber, number[]>();
  #count = 0;
  readonly #fields = new Map<string, number>();
  readonly #names: FieldName[] = [];

  /** How many objects there are. */
  get objects(): number {
    return this.#count;
  }

  object(type: number, start: PlaceNumber): number {
    let ofType = this.#objects.get(type);
    if (ofType === undefined) {
      ofType = new Map();
      this.#objects.set(type, ofType);
    }
    const known = ofType.get(start);
    if (known !== undefined) return known;
    const number = this.#count++;
    ofType.set(start, number);
    const starting = this.#starting.get(start);
    if (starting === undefined) this.#starting.set(start, [number]);
    else starting.push(number);
    return number;
  }

  /** Objects that begin there, those around others first. */
  startingAt(start: PlaceNumber): readonly number[] {
    return this.#starting.get(start) ?? [];
  }

  field(type: number, typeName: string, pattern: string): number {
    const key = `${type}.${pattern}`;
    const known = this.#fields.get(key);
    if (known !== undefined) return known;
    this.#fields.set(key, this.#names.length);
    return this.#names.push({ type: typeName, field: pattern }) - 1;
  }

  fieldName(field: number): FieldName {
    return this.#names[field]!;
  }
}
