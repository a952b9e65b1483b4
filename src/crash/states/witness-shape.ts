/** The shape of a witness file, as a schema: a file from elsewhere is what it says, or it is refused with the place named. */
import * as v from "valibot";
import { parseChoices } from "./choice.ts";
import type { Witness } from "./witness.ts";

/** Nothing here is ever larger, and nobody waits for more. */
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const text = v.string();
const words = v.array(text);
const command = v.pipe(words, v.minLength(1));
/** It becomes a path or a variable, and those end at a zero byte. */
const named = v.pipe(text, v.excludes("\0"));
const base64 = v.pipe(
  text,
  v.regex(/^[A-Za-z0-9+/]*={0,2}$/),
  v.check((value) => value.length % 4 === 0),
);

const subject = v.object({
  program: v.pipe(v.array(named), v.minLength(1)),
  setup: v.exactOptional(command),
  recover: v.exactOptional(command),
  furtherRecoveries: v.exactOptional(v.array(command)),
  thenCommand: v.exactOptional(command),
  directory: v.pipe(named, v.startsWith("/")),
  root: v.exactOptional(named),
  readable: v.exactOptional(v.array(named)),
  env: v.array(v.pipe(named, v.regex(/^[^=]+=/))),
  seed: count,
  // Earlier witnesses that say nothing are of a v2.
  cpu: v.optional(v.picklist(["v2", "v3"]), "v2"),
  limits: v.record(text, count),
  jit: v.boolean(),
  pm: words,
  pmMode: v.picklist(["dax", "msync"]),
  annotated: v.boolean(),
  pmHeap: v.exactOptional(v.object({ file: named, bytes: count, fill: v.exactOptional(count) })),
  findsLeaks: v.exactOptional(v.literal(true)),
});

const judging = v.object({
  expectExit: count,
  oracle: v.picklist(["exit", "output"]),
  hangLimit: count,
  platform: v.picklist(["px86", "eadr", "strict"]),
});

const verdict = v.variant("kind", [
  v.object({ kind: v.literal("exit"), code: count }),
  v.object({ kind: v.literal("signal"), name: text, site: text, address: v.optional(v.bigint()) }),
  v.object({ kind: v.literal("deadlock") }),
  v.object({ kind: v.literal("hang"), instructions: count }),
]);

const printed = v.object({
  stdout: text,
  of: v.exactOptional(v.literal("work")),
  right: words,
  fewest: v.exactOptional(count),
});

const leaked = v.array(v.object({ file: text, offset: count, size: count }));

const witness = v.object({
  blackout: text,
  subject,
  input: base64,
  user: v.exactOptional(v.object({ uid: count, gid: count })),
  files: v.record(named, text),
  judging,
  choices: v.pipe(
    text,
    v.transform(parseChoices),
    v.check((choices) => choices.some(({ kind }) => kind === "crash"), "there is no crash among the choices"),
  ),
  expected: v.object({ verdict, said: text, printed: v.exactOptional(printed), leaked: v.exactOptional(leaked) }),
  fingerprint: text,
});

export const witnessFileShape = v.object({ blackoutWitness: v.number(), witnesses: v.array(witness) });

/** The witnesses, or a sentence that names the place where the file is something else. */
export function witnessesOf(document: unknown): readonly Witness[] | string {
  const parsed = v.safeParse(witnessFileShape, document, { abortEarly: true });
  if (parsed.success) return parsed.output.witnesses as readonly Witness[];
  const [issue] = parsed.issues;
  return `${v.getDotPath(issue) ?? "the file"}: ${issue.message}`;
}
