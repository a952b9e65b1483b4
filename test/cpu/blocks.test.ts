/** Random blocks of several instructions against the real processor. */
import { expect, test } from "vitest";
import {
  compareBlocks,
  MachineExecutor,
  processorLevel,
  supportedForms,
  whyNotCompared,
} from "../../tools/cpu-harness/index.ts";

const seed = Number(process.env.SEED ?? 0);
const executors = [new MachineExecutor("interpreter"), new MachineExecutor("jit")];
const forms = supportedForms(processorLevel).filter((form) => whyNotCompared(form, processorLevel) === undefined);
const general = forms.filter(({ float }) => !float);

test.each([0, 1])("general-purpose blocks, part %i", (part) => {
  expect(compareBlocks(general, { blocks: 200, inputs: 50 }, 100 * seed + part, executors)).toEqual([]);
});

/** What sets flags and what reads them, close together: conditions computed from operands (isa/lift/fuse.ts). */
const aboutFlags = general.filter(({ mnemonic }) =>
  /^(add|adc|sub|sbb|cmp|and|or|xor|test|inc|dec|neg|sh[lr]|sar|sal|ro[lr]|rc[lr]|bts?|popcnt|imul|cmc|stc|sahf|lahf|pushfq?|set\w+|cmov\w+|j\w+|loopn?e)$/.test(
    mnemonic,
  ),
);

test.each([8, 9])("flags and their readers, part %i", (part) => {
  expect(compareBlocks(aboutFlags, { blocks: 300, inputs: 40 }, 100 * seed + part, executors)).toEqual([]);
});

test.each([4, 5])("blocks of all instructions, part %i", (part) => {
  const all = [...executors, new MachineExecutor("calling")];
  expect(compareBlocks(forms, { blocks: 200, inputs: 50 }, 100 * seed + part, all)).toEqual([]);
});
