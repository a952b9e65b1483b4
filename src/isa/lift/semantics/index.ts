/** Every supported mnemonic with its semantics, gathered from the families. */
import type { CpuLevel, Instruction } from "../../x86/index.ts";
import type { Lift } from "../builder.ts";
import { arithmeticSemantics } from "./arithmetic.ts";
import { bitSemantics } from "./bits.ts";
import { bmiSemantics } from "./bmi.ts";
import { controlSemantics } from "./control.ts";
import { crc32Semantics } from "./crc32.ts";
import { divideSemantics } from "./divide.ts";
import { exchangeSemantics } from "./exchange.ts";
import { flagSemantics } from "./flags.ts";
import { logicSemantics } from "./logic.ts";
import { mmxSemantics } from "./mmx.ts";
import { moveSemantics } from "./moves.ts";
import { multiplySemantics } from "./multiply.ts";
import { rotateSemantics } from "./rotates.ts";
import { shiftSemantics } from "./shifts.ts";
import { sseSemantics } from "./sse/index.ts";
import { stackSemantics } from "./stack.ts";
import { stringSemantics } from "./strings.ts";
import { systemSemantics } from "./system.ts";
import { trap } from "./traps.ts";
import { vexSemantics } from "./vex/index.ts";
import { x87Semantics } from "./x87.ts";

const generalSemantics: Readonly<Record<string, Lift>> = {
  ...arithmeticSemantics,
  ...bitSemantics,
  ...controlSemantics,
  ...crc32Semantics,
  ...divideSemantics,
  ...exchangeSemantics,
  ...flagSemantics,
  ...logicSemantics,
  ...moveSemantics,
  ...multiplySemantics,
  ...rotateSemantics,
  ...shiftSemantics,
  ...stackSemantics,
  ...systemSemantics,
};

const vectorSemantics: Readonly<Record<string, Lift>> = { ...sseSemantics, ...mmxSemantics, ...x87Semantics };

/** MOVSD and CMPSD name a string instruction and an SSE2 one; only the latter has an XMM operand. */
const byOperands = (name: string): Lift => {
  const vector = vectorSemantics[name] ?? trap("undefined", `${name} is not supported.`);
  return (b, instruction) => {
    const isVector = instruction.operands.some((operand) => operand.kind === "xmm");
    (isVector ? vector : stringSemantics[name]!)(b, instruction);
  };
};

const v2Semantics: Readonly<Record<string, Lift>> = {
  ...generalSemantics,
  ...vectorSemantics,
  ...stringSemantics,
  movsd: byOperands("movsd"),
  cmpsd: byOperands("cmpsd"),
};

/** By what the processor is. A mnemonic means one encoding only, but for EVEX, which takes those of VEX. */
const semantics: Readonly<Record<CpuLevel, Readonly<Record<string, Lift>>>> = {
  v2: v2Semantics,
  v3: { ...v2Semantics, ...bmiSemantics, ...vexSemantics },
};

/** What an instruction does, if the processor has it. */
export const semanticsOf = (
  { mnemonic, encoding }: Pick<Instruction, "mnemonic" | "encoding">,
  level: CpuLevel,
): Lift | undefined => (encoding === "other" ? undefined : semantics[level][mnemonic]);
