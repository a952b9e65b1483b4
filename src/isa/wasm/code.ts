/**
 * Writes one function body, instruction by instruction, and keeps track of nesting so that branches name labels
 * instead of relative depths. `Label`s are positions on the control stack; a branch to a closed label is a bug of ours.
 */
import { assert } from "../../base/index.ts";
import { Bytes } from "./bytes.ts";
import { type NumericName, numeric, type ValueType } from "./numeric.ts";

export const valueTypeCode = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b } as const;

/** Opcode and natural alignment (log2) of each memory access. */
// biome-ignore format: columns stay aligned
export const memoryOps = {
  "i32.load":     [[0x28], 2], "i64.load":     [[0x29], 3], "f32.load":     [[0x2a], 2], "f64.load":     [[0x2b], 3],
  "i32.load8_s":  [[0x2c], 0], "i32.load8_u":  [[0x2d], 0], "i32.load16_s": [[0x2e], 1], "i32.load16_u": [[0x2f], 1],
  "i64.load8_s":  [[0x30], 0], "i64.load8_u":  [[0x31], 0], "i64.load16_s": [[0x32], 1], "i64.load16_u": [[0x33], 1],
  "i64.load32_s": [[0x34], 2], "i64.load32_u": [[0x35], 2],
  "i32.store":    [[0x36], 2], "i64.store":    [[0x37], 3], "f32.store":    [[0x38], 2], "f64.store":    [[0x39], 3],
  "i32.store8":   [[0x3a], 0], "i32.store16":  [[0x3b], 1], "i64.store8":   [[0x3c], 0], "i64.store16":  [[0x3d], 1],
  "i64.store32":  [[0x3e], 2],
  "v128.load":    [[0xfd, 0], 4], "v128.store": [[0xfd, 11], 4],
} as const satisfies Record<string, readonly [readonly number[], number]>;
export type MemoryOp = keyof typeof memoryOps;

export type Label = number;
export type BlockType = ValueType | "none";

export class Code {
  readonly bytes = new Bytes(1024);
  readonly params: readonly ValueType[];
  readonly #locals: ValueType[] = [];
  #depth = 0;
  /** Offsets of branches that are seldom (0) or mostly (1) taken, for the branch hint section. */
  readonly hints: { readonly offset: number; readonly likely: 0 | 1 }[] = [];

  constructor(params: readonly ValueType[] = []) {
    this.params = params;
  }

  local(type: ValueType): number {
    this.#locals.push(type);
    return this.params.length + this.#locals.length - 1;
  }

  op(name: NumericName, lane?: number): this {
    const row = numeric[name];
    this.bytes.all(row.code);
    if (row.lane) this.bytes.byte(lane ?? 0);
    return this;
  }

  #plain(code: number, index?: number): this {
    this.bytes.byte(code);
    if (index !== undefined) this.bytes.unsigned(index);
    return this;
  }

  get(local: number): this {
    return this.#plain(0x20, local);
  }
  set(local: number): this {
    return this.#plain(0x21, local);
  }
  tee(local: number): this {
    return this.#plain(0x22, local);
  }
  globalGet(global: number): this {
    return this.#plain(0x23, global);
  }
  globalSet(global: number): this {
    return this.#plain(0x24, global);
  }
  drop(): this {
    return this.#plain(0x1a);
  }
  /** Works for numbers and, with an explicit type, for vectors. */
  select(type: ValueType): this {
    if (type !== "v128") return this.#plain(0x1b);
    this.bytes.all([0x1c, 1, valueTypeCode.v128]);
    return this;
  }
  return_(): this {
    return this.#plain(0x0f);
  }
  unreachable(): this {
    return this.#plain(0x00);
  }
  call(index: number): this {
    return this.#plain(0x10, index);
  }
  /** A call in place of the function's own end: its frame is gone by then. */
  returnCall(index: number): this {
    return this.#plain(0x12, index);
  }
  returnCallIndirect(type: number, table = 0): this {
    this.#plain(0x13, type);
    this.bytes.unsigned(table);
    return this;
  }
  callIndirect(type: number, table = 0): this {
    this.#plain(0x11, type);
    this.bytes.unsigned(table);
    return this;
  }

  i32(value: number): this {
    this.bytes.byte(0x41);
    this.bytes.signed32(value);
    return this;
  }
  i64(value: bigint): this {
    this.bytes.byte(0x42);
    this.bytes.signed64(value);
    return this;
  }
  v128(value: bigint): this {
    this.bytes.all([0xfd, 12]);
    for (let i = 0n; i < 128n; i += 8n) this.bytes.byte(Number((value >> i) & 0xffn));
    return this;
  }
  shuffle(lanes: readonly number[]): this {
    assert(lanes.length === 16, "wasm: a shuffle names sixteen lanes");
    this.bytes.all([0xfd, 13]);
    this.bytes.all(lanes);
    return this;
  }

  memory(op: MemoryOp, offset = 0): this {
    const [code] = memoryOps[op];
    this.bytes.all(code);
    this.bytes.byte(0); // alignment hint: none, guest addresses may be unaligned
    this.bytes.unsigned(offset);
    return this;
  }
  memoryCopy(): this {
    this.bytes.all([0xfc, 0x0a, 0, 0]);
    return this;
  }
  memoryFill(): this {
    this.bytes.all([0xfc, 0x0b, 0]);
    return this;
  }

  #open(code: number, type: BlockType): Label {
    this.bytes.byte(code);
    this.bytes.byte(type === "none" ? 0x40 : valueTypeCode[type]);
    return ++this.#depth;
  }
  block(type: BlockType = "none"): Label {
    return this.#open(0x02, type);
  }
  loop(type: BlockType = "none"): Label {
    return this.#open(0x03, type);
  }
  /** `likely` tells V8 where to put the code when the branch hint section is on. */
  if_(type: BlockType = "none", likely?: 0 | 1): Label {
    if (likely !== undefined) this.hints.push({ offset: this.bytes.length, likely });
    return this.#open(0x04, type);
  }
  else_(): this {
    return this.#plain(0x05);
  }
  end(): this {
    assert(this.#depth > 0, "wasm: every end closes a block");
    this.#depth--;
    return this.#plain(0x0b);
  }

  #relative(label: Label): number {
    assert(label > 0 && label <= this.#depth, "wasm: a branch names an enclosing label");
    return this.#depth - label;
  }
  br(label: Label): this {
    return this.#plain(0x0c, this.#relative(label));
  }
  brIf(label: Label, likely?: 0 | 1): this {
    if (likely !== undefined) this.hints.push({ offset: this.bytes.length, likely });
    return this.#plain(0x0d, this.#relative(label));
  }
  brTable(labels: readonly Label[], otherwise: Label): this {
    this.bytes.byte(0x0e);
    this.bytes.unsigned(labels.length);
    for (const label of labels) this.bytes.unsigned(this.#relative(label));
    this.bytes.unsigned(this.#relative(otherwise));
    return this;
  }

  /** The declarations of this function's locals, run-length encoded as the binary format wants them. */
  localDeclarations(): Bytes {
    const out = new Bytes(64);
    const runs: [number, ValueType][] = [];
    for (const type of this.#locals) {
      const last = runs.at(-1);
      if (last && last[1] === type) last[0]++;
      else runs.push([1, type]);
    }
    out.unsigned(runs.length);
    for (const [count, type] of runs) {
      out.unsigned(count);
      out.byte(valueTypeCode[type]);
    }
    return out;
  }

  get depth(): number {
    return this.#depth;
  }
}
