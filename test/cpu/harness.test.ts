/** The harness itself: it covers every form there is, and it notices when something is wrong. */
import { expect, test } from "vitest";
import { semanticsOf } from "../../src/isa/lift/index.ts";
import {
  allForms,
  compareForm,
  type Executor,
  MachineExecutor,
  refused,
  supportedForms,
  whyNotCompared,
} from "../../tools/cpu-harness/index.ts";
import { outputLayout } from "../../tools/cpu-harness/records.ts";

const named = (name: string) => supportedForms("v2").find((form) => form.name === name)!;

/** The machine, with one thing done wrong after every run. */
function spoiled(spoil: (executor: Executor, output: Parameters<Executor["run"]>[1]) => void): Executor {
  const machine = new MachineExecutor("interpreter");
  return {
    name: "spoiled",
    data: machine.data,
    load: (block) => machine.load(block),
    run: (input, output) => {
      const outcome = machine.run(input, output);
      spoil(machine, output);
      return outcome;
    },
    loadFloat: (input) => machine.loadFloat(input),
    saveFloat: (output) => machine.saveFloat(output),
  };
}

const size = { encodings: 1, inputs: 1 } as const;

test.each([
  [
    "a register",
    "r13",
    ({ view }: { view: DataView }) =>
      view.setUint8(outputLayout.gpr + 8 * 13, view.getUint8(outputLayout.gpr + 8 * 13) ^ 1),
  ],
  [
    "a flag",
    "rflags",
    ({ view }: { view: DataView }) => view.setUint8(outputLayout.rflags, view.getUint8(outputLayout.rflags) ^ 1),
  ],
  [
    "rip",
    "rip",
    ({ view }: { view: DataView }) => view.setUint8(outputLayout.rip, view.getUint8(outputLayout.rip) ^ 1),
  ],
])("a wrong value of %s is noticed", (_, what, spoil) => {
  const [report] = compareForm(named("Add_r64_rm64"), size, 1, [spoiled((_executor, output) => spoil(output))]);
  expect(report).toMatch(new RegExp(`^  ${what}: processor`, "m"));
});

test("a stray store is noticed", () => {
  const executor = spoiled(({ data }) => {
    data[0x123] = data[0x123]! ^ 1;
  });
  const [report] = compareForm(named("Add_r64_rm64"), size, 1, [executor]);
  expect(report).toMatch(/^ {2}memory 0x20001120: processor/m);
});

test.each(["v2", "v3"] as const)(
  "every form of a processor of level %s is compared, or refused for a reason",
  (level) => {
    const unexplained = allForms(level).filter(
      (form) => !semanticsOf(form, level) && !refused.some(({ mnemonics }) => mnemonics.test(form.mnemonic)),
    );
    expect(unexplained.map(({ name }) => name)).toEqual([]);
  },
);

test("hardly any form is left out of the comparison", () => {
  const forms = supportedForms("v3");
  const leftOut = forms.filter((form) => whyNotCompared(form, "v3") !== undefined);
  expect(forms.length).toBeGreaterThan(1900);
  // Of these, eighteen load a segment register and eight save or load state as XSAVE does.
  expect(leftOut.length).toBeLessThan(65);
});

test("the compiling tier is really at work", () => {
  const jit = new MachineExecutor("jit");
  expect(compareForm(named("Add_r64_rm64"), { encodings: 3, inputs: 10 }, 1, [jit])).toEqual([]);
  expect(jit.regions).toBe(3);
});

test("regions that MXCSR keeps from running are compiled anew", () => {
  const calling = new MachineExecutor("calling");
  expect(compareForm(named("Addpd_xmm_xmmm128"), { encodings: 3, inputs: 30 }, 1, [calling])).toEqual([]);
  expect(calling.regions).toBe(6);
});
