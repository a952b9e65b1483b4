/** What the comparison with the processor leaves out: the table's completeness, the pointers, and pending exceptions. */
import { Code } from "iced-x86";
import { describe, expect, test } from "vitest";
import { initializeX87, PENDING, SUPPRESSED, X87State, x87Operations } from "./index.ts";

const newUnit = (): X87State => {
  const unit = new X87State(new DataView(new ArrayBuffer(1024)), 0);
  initializeX87(unit);
  return unit;
};
const run = (unit: X87State, name: string, ...args: bigint[]): bigint => {
  const row = x87Operations[name];
  if (row === undefined) throw new Error(`no row for ${name}`);
  return row.run(unit, args);
};

/** Not x87 or gone since the 287, 387SL and Cyrix processors: today they are invalid opcodes. */
const notOurs = /^(Femms|Frstpm|Fn?st(dw|sg)_AX|Ftstp|Frint2|Frichop|Frinear)$/;

test("every x87 code of the decoder has a row", () => {
  const names = Object.keys(Code).filter((name) => /^(F[a-z0-9]|Wait)/.test(name) && !notOurs.test(name));
  expect(names.length).toBeGreaterThan(150);
  expect(names.filter((name) => x87Operations[name] === undefined)).toEqual([]);
});

describe("unmasked exceptions", () => {
  test("are reported by the next waiting instruction and by no other", () => {
    const unit = newUnit();
    run(unit, "Fldcw_m2byte", 0x37bn); // zero-divide unmasked
    run(unit, "Fld1");
    run(unit, "Fldz");
    expect(run(unit, "Fdivp_sti_st0", 1n)).toBe(SUPPRESSED);
    expect(unit.statusWord & 0x8084).toBe(0x8084);
    const before = unit.statusWord;
    expect(run(unit, "Fld1")).toBe(PENDING);
    expect(run(unit, "Wait")).toBe(PENDING);
    expect(unit.statusWord).toBe(before);
    expect(run(unit, "Fnstsw_AX")).toBe(BigInt(before));
    run(unit, "Fnclex");
    expect(run(unit, "Wait")).toBe(0n);
  });

  test("leave a memory operand unwritten and the stack unpopped", () => {
    const unit = newUnit();
    run(unit, "Fldcw_m2byte", 0x37en); // invalid unmasked
    run(unit, "Fld_m64fp", 0x7fefffffffffffffn);
    expect(run(unit, "Fistp_m32int")).toBe(SUPPRESSED);
    expect(unit.isEmpty(0)).toBe(false);
  });

  test.each([
    ["FPREM by infinity", "Fprem", 0x7ff0_0000_0000_0000n],
    ["FPREM1 by infinity", "Fprem1", 0x7ff0_0000_0000_0000n],
    ["FSCALE by zero", "Fscale", 0n],
  ])("underflow is none where a denormal number stays as it is: %s", (_, name, operand) => {
    const unit = newUnit();
    run(unit, "Fldcw_m2byte", 0x36fn); // underflow unmasked
    run(unit, "Fld_m64fp", operand);
    run(unit, "Fld_m80fp", 0xf16n, 0x8000n);
    run(unit, name);
    expect(run(unit, "Fnstsw_AX") & 0x8010n).toBe(0n);
    expect(run(unit, "Fstp_m80fp")).toBe(0x8000_0000_0000_0000_0f16n);
  });
});

describe("the last instruction's pointers", () => {
  const pointed = (): X87State => {
    const unit = newUnit();
    unit.lastOpcode = 0x5c1;
    unit.lastInstruction = 0x1234_5678_9abcn;
    unit.lastData = 0x7fff_0000_1111n;
    return unit;
  };
  const part = (image: bigint, offset: number, bytes: number) => BigInt.asUintN(8 * bytes, image >> BigInt(8 * offset));

  test("are in the 28-byte environment, cut to 32 bits", () => {
    const image = run(pointed(), "Fnstenv_m28byte");
    expect(part(image, 12, 4)).toBe(0x5678_9abcn);
    expect(part(image, 16, 4)).toBe(0x5c1_0000n);
    expect(part(image, 20, 4)).toBe(0x1111n);
  });

  test("survive FXSAVE64 and FXRSTOR64 in full", () => {
    const image = run(pointed(), "Fxsave64_m512byte");
    const unit = newUnit();
    run(unit, "Fxrstor64_m512byte", image);
    expect([unit.lastOpcode, unit.lastInstruction, unit.lastData]).toEqual([
      0x5c1,
      0x1234_5678_9abcn,
      0x7fff_0000_1111n,
    ]);
  });

  test("are zero after FNSAVE, which also empties the stack", () => {
    const unit = pointed();
    run(unit, "Fldpi");
    const image = run(unit, "Fnsave_m108byte");
    expect(part(image, 28, 10)).toBe(0x4000_c90fdaa22168c235n);
    expect([unit.lastOpcode, unit.lastInstruction, unit.tags]).toEqual([0, 0n, 0]);
    run(unit, "Frstor_m108byte", image);
    expect(run(unit, "Fstp_m80fp")).toBe(0x4000_c90fdaa22168c235n);
  });
});
