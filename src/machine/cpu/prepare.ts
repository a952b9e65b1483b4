/** What machines need and the build can make ahead (docs/adr/0012-start-up.md). */
import type { Prepared } from "../../base/index.ts";
import { decoderImage } from "../../isa/x86/index.ts";
import { buildRuntime } from "../runtime/index.ts";

export const prepareMachine = (): Pick<Prepared, "decoder" | "runtime"> => ({
  decoder: decoderImage(),
  runtime: buildRuntime(),
});
