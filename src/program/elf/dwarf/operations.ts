/**
 * DWARF expressions as lists of operations (DWARF 5, section 7.7.1). One table says which operands each operation has;
 * families of thirty-two (`lit`, `reg`, `breg`) become one operation with their number as first operand.
 */
import type { Cursor } from "../cursor.ts";

type Operand =
  | "u8"
  | "s8"
  | "u16"
  | "s16"
  | "u32"
  | "s32"
  | "u64"
  | "s64"
  | "uleb"
  | "sleb"
  | "address"
  | "offset"
  | "block"
  | "block1";

export interface Operation {
  readonly name: OperationName;
  /** Where it stands and where the next one begins, in bytes: what branches count in. */
  readonly at: number;
  readonly next: number;
  readonly numbers: readonly bigint[];
  /** The bytes of an operand that is a block: a nested expression or a value. */
  readonly block: Uint8Array;
}

// biome-ignore format: columns stay aligned
const rows = {
  addr:             [0x03, "address"],
  deref:            [0x06],
  const1u:          [0x08, "u8"],
  const1s:          [0x09, "s8"],
  const2u:          [0x0a, "u16"],
  const2s:          [0x0b, "s16"],
  const4u:          [0x0c, "u32"],
  const4s:          [0x0d, "s32"],
  const8u:          [0x0e, "u64"],
  const8s:          [0x0f, "s64"],
  constu:           [0x10, "uleb"],
  consts:           [0x11, "sleb"],
  dup:              [0x12],
  drop:             [0x13],
  over:             [0x14],
  pick:             [0x15, "u8"],
  swap:             [0x16],
  rot:              [0x17],
  abs:              [0x19],
  and:              [0x1a],
  div:              [0x1b],
  minus:            [0x1c],
  mod:              [0x1d],
  mul:              [0x1e],
  neg:              [0x1f],
  not:              [0x20],
  or:               [0x21],
  plus:             [0x22],
  plus_uconst:      [0x23, "uleb"],
  shl:              [0x24],
  shr:              [0x25],
  shra:             [0x26],
  xor:              [0x27],
  bra:              [0x28, "s16"],
  eq:               [0x29],
  ge:               [0x2a],
  gt:               [0x2b],
  le:               [0x2c],
  lt:               [0x2d],
  ne:               [0x2e],
  skip:             [0x2f, "s16"],
  regx:             [0x90, "uleb"],
  fbreg:            [0x91, "sleb"],
  bregx:            [0x92, "uleb", "sleb"],
  piece:            [0x93, "uleb"],
  deref_size:       [0x94, "u8"],
  nop:              [0x96],
  call_frame_cfa:   [0x9c],
  bit_piece:        [0x9d, "uleb", "uleb"],
  implicit_value:   [0x9e, "block"],
  stack_value:      [0x9f],
  implicit_pointer: [0xa0, "offset", "sleb"],
  addrx:            [0xa1, "uleb"],
  constx:           [0xa2, "uleb"],
  entry_value:      [0xa3, "block"],
  const_type:       [0xa4, "uleb", "block1"],
  regval_type:      [0xa5, "uleb", "uleb"],
  deref_type:       [0xa6, "u8", "uleb"],
  convert:          [0xa8, "uleb"],
  reinterpret:      [0xa9, "uleb"],
  tls_address:      [0xe0],
  form_tls_address: [0x9b],
  gnu_uninit:       [0xf0],
  gnu_implicit_pointer: [0xf2, "offset", "sleb"],
  gnu_entry_value:  [0xf3, "block"],
  gnu_const_type:   [0xf4, "uleb", "block1"],
  gnu_regval_type:  [0xf5, "uleb", "uleb"],
  gnu_deref_type:   [0xf6, "u8", "uleb"],
  gnu_convert:      [0xf7, "uleb"],
  gnu_reinterpret:  [0xf9, "uleb"],
  gnu_parameter_ref: [0xfa, "u32"],
  gnu_addr_index:   [0xfb, "uleb"],
  gnu_const_index:  [0xfc, "uleb"],
} as const satisfies Record<string, readonly [number, ...Operand[]]>;

type RowName = keyof typeof rows;
/** The older names of the same operations. */
const synonyms = {
  gnu_implicit_pointer: "implicit_pointer",
  gnu_entry_value: "entry_value",
  gnu_const_type: "const_type",
  gnu_regval_type: "regval_type",
  gnu_deref_type: "deref_type",
  gnu_convert: "convert",
  gnu_reinterpret: "reinterpret",
  gnu_addr_index: "addrx",
  gnu_const_index: "constx",
  tls_address: "form_tls_address",
} as const satisfies Partial<Record<RowName, RowName>>;

export type OperationName = Exclude<RowName, keyof typeof synonyms> | "lit" | "reg" | "breg";

const families: readonly { readonly first: number; readonly name: OperationName; readonly operands: Operand[] }[] = [
  { first: 0x30, name: "lit", operands: [] },
  { first: 0x50, name: "reg", operands: [] },
  { first: 0x70, name: "breg", operands: ["sleb"] },
];
const FAMILY_SIZE = 32;

const byCode: ReadonlyMap<number, { readonly name: OperationName; readonly operands: readonly Operand[] }> = new Map(
  Object.entries(rows).map(([name, [code, ...operands]]) => [
    code,
    { name: ((synonyms as Readonly<Record<string, string>>)[name] ?? name) as OperationName, operands },
  ]),
);

/** Sizes that the unit of an expression decides. */
export interface ExpressionShape {
  readonly addressSize: number;
  readonly offsetSize: 4 | 8;
}

const numberOperands: Readonly<
  Record<Exclude<Operand, "block" | "block1">, (c: Cursor, s: ExpressionShape) => bigint>
> = {
  u8: (cursor) => BigInt(cursor.u8()),
  s8: (cursor) => BigInt(cursor.i8()),
  u16: (cursor) => BigInt(cursor.u16()),
  s16: (cursor) => BigInt.asIntN(16, BigInt(cursor.u16())),
  u32: (cursor) => BigInt(cursor.u32()),
  s32: (cursor) => BigInt.asIntN(32, BigInt(cursor.u32())),
  u64: (cursor) => unsignedOf(cursor.view(8)),
  s64: (cursor) => BigInt.asIntN(64, unsignedOf(cursor.view(8))),
  uleb: (cursor) => lebOf(cursor, false),
  sleb: (cursor) => lebOf(cursor, true),
  address: (cursor, { addressSize }) => unsignedOf(cursor.view(addressSize)),
  offset: (cursor, { offsetSize }) => unsignedOf(cursor.view(offsetSize)),
};

const nothing = new Uint8Array();

/** Throws the cursor's error for an operation that is not known: what follows it cannot be read. */
export function readOperations(cursor: Cursor, shape: ExpressionShape): readonly Operation[] {
  const start = cursor.position;
  const operations: Operation[] = [];
  while (!cursor.atEnd) {
    const at = cursor.position - start;
    const code = cursor.u8();
    const family = families.find(({ first }) => code >= first && code < first + FAMILY_SIZE);
    const row = family ?? byCode.get(code);
    if (row === undefined) throw cursor.fail();
    const numbers: bigint[] = family === undefined ? [] : [BigInt(code - family.first)];
    let block: Uint8Array = nothing;
    for (const operand of row.operands) {
      if (operand === "block") block = cursor.view(cursor.uleb());
      else if (operand === "block1") block = cursor.view(cursor.u8());
      else numbers.push(numberOperands[operand](cursor, shape));
    }
    operations.push({ name: row.name, at, next: cursor.position - start, numbers, block });
  }
  return operations;
}

/** Little-endian bytes as an unsigned number. */
export function unsignedOf(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let index = bytes.length - 1; index >= 0; index--) value = (value << 8n) | BigInt(bytes[index] as number);
  return value;
}

/** LEB128 without loss; groups beyond 64 bits are read and ignored. */
function lebOf(cursor: Cursor, signed: boolean): bigint {
  let value = 0n;
  let shift = 0n;
  for (;;) {
    const byte = cursor.u8();
    if (shift < 64n) value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte >= 0x80) continue;
    if (!signed) return BigInt.asUintN(64, value);
    return BigInt.asIntN(64, (byte & 0x40) !== 0 && shift < 64n ? value - (1n << shift) : value);
  }
}
