/** Single elements in and out of vector registers. SDM vol. 2: PINSRB, PEXTRB, PINSRW, PEXTRW, EXTRACTPS. */
import type { Value } from "../../../ir/index.ts";
import type { NumericName } from "../../../wasm/index.ts";
import type { Lift } from "../../builder.ts";
import { beginMmx, formOf, immediate, readPacked, writePacked } from "./operands.ts";

type Element = "i8x16" | "i16x8" | "i32x4" | "i64x2";
const counts = { i8x16: 16, i16x8: 8, i32x4: 4, i64x2: 2 } as const;
const extracts = {
  i8x16: "i8x16.extract_lane_u",
  i16x8: "i16x8.extract_lane_u",
  i32x4: "i32x4.extract_lane",
  i64x2: "i64x2.extract_lane",
} as const satisfies Record<Element, NumericName>;

const insert =
  (element: Element): Lift =>
  (b, instruction) => {
    const [destination, source, control] = instruction.operands;
    const form = formOf(instruction);
    if (form === "mm") beginMmx(b);
    const value: Value = b.read(source!);
    const wide = element === "i64x2" || b.typeOf(value) === "i32";
    const narrowed = wide ? value : b.op("i32.wrap_i64", value);
    const lane = immediate(control) & (form === "mm" ? 3 : counts[element] - 1);
    writePacked(b, destination!, b.lane(`${element}.replace_lane`, lane, readPacked(b, destination!), narrowed));
  };

const extract =
  (element: Element): Lift =>
  (b, instruction) => {
    const [destination, source, control] = instruction.operands;
    const form = formOf(instruction);
    if (form === "mm") beginMmx(b);
    const lane = immediate(control) & (form === "mm" ? 3 : counts[element] - 1);
    const value = b.lane(extracts[element], lane, readPacked(b, source!));
    const widened = destination!.kind === "gpr" && destination!.size === 8 && element !== "i64x2";
    b.write(destination!, widened ? b.op("i64.extend_i32_u", value) : value);
    if (form === "mm") b.call("mmx_enter");
  };

export const elementSemantics = {
  pinsrb: insert("i8x16"),
  pinsrw: insert("i16x8"),
  pinsrd: insert("i32x4"),
  pinsrq: insert("i64x2"),
  pextrb: extract("i8x16"),
  pextrw: extract("i16x8"),
  pextrd: extract("i32x4"),
  pextrq: extract("i64x2"),
  extractps: extract("i32x4"),
} satisfies Record<string, Lift>;
