/** The two kinds of comparison that tests and fuzzing run: every form alone, and blocks of several instructions. */
import { seedRandom } from "../../src/base/index.ts";
import { drawBlock, drawSingle } from "./blocks.ts";
import { drawGroup, runGroups } from "./campaign.ts";
import type { Executor } from "./executor.ts";
import type { Form } from "./forms.ts";
import type { Group } from "./native.ts";
import { describeMismatch } from "./report.ts";
import { shrink } from "./shrink.ts";

/** What differs, as text; a form that cannot be encoded is a finding too. */
export function compareForm(
  form: Form,
  size: { readonly encodings: number; readonly inputs: number },
  seed: number,
  executors: readonly Executor[],
): string[] {
  const random = seedRandom(seed);
  const groups: Group[] = [];
  for (let i = 0; i < size.encodings; i++) {
    const block = drawSingle(form, random);
    if (!block) return [`${form.name}: no encoding turned up (seed ${seed})`];
    groups.push(drawGroup(block, size.inputs, random));
  }
  return runGroups(groups, executors).map((mismatch) => `seed ${seed}: ${describeMismatch(mismatch)}`);
}

export function compareBlocks(
  forms: readonly Form[],
  size: { readonly blocks: number; readonly inputs: number },
  seed: number,
  executors: readonly Executor[],
): string[] {
  const random = seedRandom(seed);
  const groups = Array.from({ length: size.blocks }, () => drawGroup(drawBlock(forms, random), size.inputs, random));
  return runGroups(groups, executors).map(
    (mismatch) => `seed ${seed}: ${describeMismatch(shrink(mismatch, executors))}`,
  );
}
