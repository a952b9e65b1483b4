/** Registers and operands of AT&T syntax as herd writes it: `$1`, `%eax`, `(x)`, `[x]`, `(%rdi)`. */
import { inputError, type Source } from "../source.ts";

export interface Piece {
  readonly text: string;
  readonly offset: number;
}

export type Operand = { readonly offset: number } & (
  | { readonly kind: "immediate"; readonly value: number }
  | { readonly kind: "register"; readonly name: string; readonly width: number }
  | { readonly kind: "memory"; readonly name: string }
  | { readonly kind: "indirect"; readonly name: string }
  | { readonly kind: "label"; readonly name: string }
);

/** Every spelling of a register, with the 64-bit register it is part of and its width in bytes. */
const spellings = new Map<string, { readonly name: string; readonly width: number }>();

function declareRegister(name: string, ...narrower: readonly (readonly [spelling: string, width: number])[]): void {
  spellings.set(name, { name, width: 8 });
  for (const [spelling, width] of narrower) spellings.set(spelling, { name, width });
}
for (const letter of ["a", "b", "c", "d"])
  declareRegister(`r${letter}x`, [`e${letter}x`, 4], [`${letter}x`, 2], [`${letter}l`, 1]);
for (const pair of ["si", "di", "bp", "sp"]) declareRegister(`r${pair}`, [`e${pair}`, 4], [pair, 2], [`${pair}l`, 1]);
for (let number = 8; number < 16; number++)
  declareRegister(`r${number}`, [`r${number}d`, 4], [`r${number}w`, 2], [`r${number}b`, 1]);

export const registerNamed = (spelling: string) => spellings.get(spelling.toLowerCase());

export function parseOperand(source: Source, { text, offset }: Piece): Operand {
  if (text.startsWith("$")) {
    const value = Number(text.slice(1));
    if (text.length > 1 && Number.isSafeInteger(value)) return { kind: "immediate", value, offset };
    throw inputError(source, offset, "litmus/operand", `${text} is not a whole number.`);
  }
  if (text.startsWith("%")) return { kind: "register", ...namedRegister(source, text, offset), offset };
  const inside = /^\(\s*([^)\s]+)\s*\)$|^\[\s*([^\]\s]+)\s*\]$|^([A-Za-z_]\w*)\(%rip\)$/.exec(text);
  const name = inside?.[1] ?? inside?.[2] ?? inside?.[3];
  if (name?.startsWith("%")) return { kind: "indirect", name: namedRegister(source, name, offset).name, offset };
  if (name !== undefined && /^[A-Za-z_]\w*$/.test(name)) return { kind: "memory", name, offset };
  if (/^[A-Za-z_.]\w*$/.test(text)) return { kind: "label", name: text, offset };
  throw inputError(source, offset, "litmus/operand", `cannot read the operand ${text}; write $1, %rax, (x) or (%rdi).`);
}

function namedRegister(source: Source, text: string, offset: number): { name: string; width: number } {
  const found = registerNamed(text.slice(1));
  if (found === undefined) throw inputError(source, offset, "litmus/unknown-register", `unknown register ${text}.`);
  return found;
}

/** Splits at commas outside parentheses. */
export function splitOperands(text: string, offset: number): Piece[] {
  const pieces: Piece[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const letter = text[at];
    if (letter === "(" || letter === "[") depth++;
    if (letter === ")" || letter === "]") depth--;
    if ((letter !== "," || depth > 0) && at < text.length) continue;
    const piece = text.slice(start, at);
    if (piece.trim() !== "")
      pieces.push({ text: piece.trim(), offset: offset + start + (piece.length - piece.trimStart().length) });
    start = at + 1;
  }
  return pieces;
}
