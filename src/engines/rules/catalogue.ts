/** Every rule there is, in the order of docs/rules/. */
import type { Rule } from "./rule.ts";
import { dirtyOverwrite } from "./rules/dirty-overwrite.ts";
import { flushClean } from "./rules/flush-clean.ts";
import { flushNontemporal } from "./rules/flush-nontemporal.ts";
import { flushTwice } from "./rules/flush-twice.ts";
import { flushVolatile } from "./rules/flush-volatile.ts";
import { looseStore } from "./rules/loose-store.ts";
import { missingFence } from "./rules/missing-fence.ts";
import { missingFlush } from "./rules/missing-flush.ts";
import { nontemporalUnfenced } from "./rules/nontemporal-unfenced.ts";
import { overlappingAdd } from "./rules/overlapping-add.ts";
import { redundantFence } from "./rules/redundant-fence.ts";
import { repeatedAdd } from "./rules/repeated-add.ts";
import { repeatedStore } from "./rules/repeated-store.ts";
import { sharedFence } from "./rules/shared-fence.ts";
import { sharedFlush } from "./rules/shared-flush.ts";
import { transientData } from "./rules/transient-data.ts";
import { transientLock } from "./rules/transient-lock.ts";
import { unaddedStore } from "./rules/unadded-store.ts";

export const ruleCatalogue: readonly Rule[] = [
  missingFlush,
  missingFence,
  nontemporalUnfenced,
  dirtyOverwrite,
  unaddedStore,
  looseStore,
  overlappingAdd,
  flushClean,
  flushVolatile,
  flushTwice,
  flushNontemporal,
  redundantFence,
  repeatedAdd,
  transientData,
  transientLock,
  sharedFlush,
  sharedFence,
  repeatedStore,
];
