/** Every supported mnemonic with its semantics, gathered from the families. */
import type { Lift } from "../builder.ts";
import { controlSemantics } from "./control.ts";

export const semantics: Readonly<Record<string, Lift>> = { ...controlSemantics };
