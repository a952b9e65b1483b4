/** Makes one test per mnemonic: all its forms on the real processor, in the interpreter and in compiled code. */
import { expect, test } from "vitest";
import {
  compareForm,
  type Form,
  MachineExecutor,
  processorLevel,
  supportedForms,
  whyNotCompared,
} from "../../tools/cpu-harness/index.ts";

const seed = Number(process.env.SEED ?? 0);
/** A thousand inputs for each form. */
const size = { encodings: 10, inputs: 100 } as const;

/** What compiled code has two ways for (machine/jit/floats.ts). */
const isSseArithmetic = (mnemonic: string): boolean =>
  /^v?(add|sub|mul|div|sqrt|min|max|cmp|hadd|hsub|addsub|round|dp|u?comi|cvt)\w*[sp][sdi]\w*$/.test(mnemonic);

export function compareAll(select: (form: Form) => boolean, level = processorLevel): void {
  const forms = supportedForms(level).filter((form) => select(form) && whyNotCompared(form, level) === undefined);
  const executors = [new MachineExecutor("interpreter"), new MachineExecutor("jit")];
  const calling = new MachineExecutor("calling");
  test.each([...new Set(forms.map(({ mnemonic }) => mnemonic))])("%s agrees with the processor", (mnemonic) => {
    const own = forms.filter((form) => form.mnemonic === mnemonic);
    const tiers = isSseArithmetic(mnemonic) ? [...executors, calling] : executors;
    expect(own.flatMap((form) => compareForm(form, size, seed, tiers))).toEqual([]);
  });
}
