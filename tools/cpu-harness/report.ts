/** A mismatch as text: everything needed to see it again. */
import { gprNames } from "../../src/isa/ir/index.ts";
import type { Mismatch } from "./campaign.ts";
import { asCase, fxLayout, inputLayout, patchBytes, patchCount } from "./records.ts";

const hexBytes = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

function inputLines(input: Uint8Array): string[] {
  const { view, bytes } = asCase(input);
  const { fx } = inputLayout;
  const at = (offset: number) => `0x${view.getBigUint64(offset, true).toString(16)}`;
  const registers = gprNames.map((name, i) => `${name}=${at(inputLayout.gpr + 8 * i)}`);
  const lines = [
    registers.slice(0, 8).join(" "),
    registers.slice(8).join(" "),
    `fcw=0x${view.getUint16(fx + fxLayout.fcw, true).toString(16)} fsw=0x${view.getUint16(fx + fxLayout.fsw, true).toString(16)} mxcsr=0x${view.getUint32(fx + fxLayout.mxcsr, true).toString(16)}`,
    `rflags=${at(inputLayout.rflags)} fs=${at(inputLayout.fsBase)} gs=${at(inputLayout.gsBase)}`,
  ];
  for (let slot = 0; slot < patchCount; slot++) {
    if (view.getBigUint64(inputLayout.patchAddress + 8 * slot, true) === 0n) continue;
    const from = inputLayout.patch + slot * patchBytes;
    lines.push(`${at(inputLayout.patchAddress + 8 * slot)}: ${hexBytes(bytes.subarray(from, from + patchBytes))}`);
  }
  return lines;
}

export function describeMismatch({ executor, block, input, differences }: Mismatch): string {
  const code = block.instructions.map(
    ({ address, bytes, text, form }) =>
      `  ${address.toString(16)}: ${hexBytes(bytes).padEnd(24)} ${text}  (${form.name})`,
  );
  const rows = differences.map(({ what, native, machine }) => `  ${what}: processor ${native}, ${executor} ${machine}`);
  return [
    `${executor} differs from the processor:`,
    ...code,
    "input:",
    ...inputLines(input).map((l) => `  ${l}`),
    ...rows,
  ].join("\n");
}
