/** The machine as an executor, in one of its tiers. */

import { PhaseClock } from "../../src/machine/cpu/phases.ts";
import { Processor } from "../../src/machine/cpu/processor.ts";
import { CompiledTier } from "../../src/machine/cpu/tier.ts";
import { createFloatHelpers } from "../../src/machine/runtime/index.ts";
import type { TestBlock } from "./blocks.ts";
import type { Executor } from "./executor.ts";
import { HarnessGuest } from "./guest.ts";
import type { Outcome } from "./outcome.ts";
import type { Case } from "./records.ts";

/** `calling`: compiled so that floating-point operations are called and see to MXCSR (machine/jit/floats.ts), once it matters. */
export type TierName = "interpreter" | "jit" | "calling";

/** With 1 a region stays as it was compiled first; with 2 the next that MXCSR keeps from running is compiled anew. */
const hotAfter: Readonly<Record<TierName, number>> = { interpreter: 0, jit: 1, calling: 2 };

/** Far more than a block has; repeated string instructions count once. */
const enough = 1000;

export class MachineExecutor implements Executor {
  readonly name: TierName;
  readonly #guest = new HarnessGuest();
  readonly #processor: Processor;
  readonly #tier: CompiledTier | undefined;

  constructor(name: TierName) {
    this.name = name;
    const { memory } = this.#guest;
    this.#processor = new Processor(memory, {
      helpers: createFloatHelpers(memory.wasm.buffer),
      lift: { traced: false, level: "v3" },
      hotAfter: hotAfter[name],
      drainEvents: () => undefined,
      mirror: () => undefined,
      tsc: () => 0n,
    });
    memory.hooks = { ...memory.hooks, codeChanged: (page) => this.#processor.codeChanged(page) };
    this.#guest.connect(this.#processor.runtime);
    if (name !== "interpreter") {
      const { runtime, translator } = this.#processor;
      this.#tier = new CompiledTier(memory.view, runtime, translator, new PhaseClock(() => 0));
      this.#processor.tier = this.#tier;
    }
  }

  load(block: TestBlock): void {
    this.#guest.load(block);
  }

  /** Regions compiled so far: shows that the compiling tier was at work. */
  get regions(): number {
    return this.#tier?.regions ?? 0;
  }

  get data(): Uint8Array {
    return this.#guest.data;
  }

  run(input: Case, output: Case): Outcome {
    this.#guest.loadState(input);
    const { event } = this.#processor.run(enough);
    this.#guest.saveState(output);
    return this.#guest.outcome(event);
  }

  loadFloat(input: Case): void {
    this.#guest.loadFloat(input);
  }
  saveFloat(output: Case): void {
    this.#guest.saveFloat(output);
  }
}
