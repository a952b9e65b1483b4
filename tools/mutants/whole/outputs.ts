/**
 * Commands that write, each to random outputs, while somebody has planted links and pipes in their places, and changes them on and
 * on: nothing beside what was named changes, and every command ends as it would, or with a sentence.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { below, pick, type RandomState, seedRandom } from "../../../src/base/index.ts";
import { mustEnd } from "./ended.ts";
import { disturb, foreignTree, type Ground, makeGround } from "./obstacles.ts";
import { whileRaced } from "./racer.ts";
import { programCommands, readingCommands, type Usual } from "./usual.ts";

/** An option that names a file, or a folder with these names in it. */
interface Output {
  readonly words: readonly string[];
  readonly inside: readonly string[];
}

const file = (...words: string[]): Output => ({ words, inside: [] });
const crashed = ["crashed/1", "crashed/1/open.sh", "crashed/1/files", "crashed/1/input", "crashed"];
const folders = {
  bundle: { words: ["--bundle"], inside: ["report.json", "report.txt", "witness.json", "replay.sh", ...crashed] },
  journal: { words: ["--journal"], inside: ["journal", "journal.lock"] },
  dump: { words: ["--dump"], inside: ["1", "1/files", "1/open.sh", "1/acknowledged", "1/files/tmp"] },
  inputs: { words: ["--out"], inside: ["1", "1.sh"] },
} satisfies Readonly<Record<string, Output>>;

const report = [file("--report"), file("--html"), file("--save-baseline"), file("--gen-suppressions")];
const crashes = [...report, folders.bundle, file("--witness"), folders.journal];

const outputs: Readonly<Record<string, readonly Output[]>> = {
  trace: [...report, file("--out"), file("--log", "pmemcheck", "--log-file")],
  symbolic: [...report, folders.inputs],
  check: crashes,
  explore: crashes,
  represent: [...crashes, file("--dot"), file("--svg")],
  robust: crashes,
  fix: [file("--report"), file("--html")],
  replay: [folders.dump],
  page: [file("-o")],
  litmus: [file("--dot"), file("--svg")],
  prove: [file("--proof")],
};

/** A shuffle's beginning. */
const some = <T>(random: RandomState, all: readonly T[]): readonly T[] => {
  const wanted = new Set(Array.from({ length: 1 + below(random, 3) }, () => pick(random, all)));
  return [...wanted];
};

const seconds = 20;
/** A limit may be met on a busy computer. */
const anyways = [2, 3];
const isTimed = (command: string): boolean => !["page", "litmus"].includes(command);

/** Runs one command; throws where it does what it must not. */
export async function runOutputMutant(seed: number, bundle: string): Promise<string> {
  const random = seedRandom(seed);
  const base = mkdtempSync(join(tmpdir(), "blackout-outputs-"));
  try {
    const ground = makeGround(base);
    const usual = pick(
      random,
      [...programCommands, ...readingCommands(bundle)].filter(({ words }) => words[0]! in outputs),
    );
    return await runWith(usual, ground, random, seed);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function runWith(usual: Usual, ground: Ground, random: RandomState, seed: number): Promise<string> {
  const command = usual.words[0]!;
  mkdirSync(join(ground.own, "sub"));
  const chosen = some(random, outputs[command]!).map((output, at) => {
    const named = pick(random, [`out${at}`, `sub/out${at}`, join(ground.own, `out${at}`)]);
    return { ...output, named };
  });
  const places = [...chosen, { named: ".blackout", ...folders.journal }].flatMap(({ named, inside }) =>
    ["", ...inside].map((name) => join(named.startsWith("/") ? "" : ground.own, named, name)),
  );
  const options = chosen.flatMap(({ words, named }) => [...words, named]);
  const args = [...usual.words, ...options, ...(isTimed(command) ? ["--time", `${seconds}s`] : []), ...usual.program];
  for (let times = below(random, 4); times > 0; times--) disturb(pick(random, places), ground, random);
  const before = foreignTree(ground);
  const isRaced = below(random, 2) === 0;
  const work = mustEnd({ args, cwd: ground.own, seconds }, [usual.code, ...anyways]);
  const ended = await (isRaced ? whileRaced(work, places, ground, random) : work);
  const told = `seed ${seed}: blackout ${args.join(" ")}`;
  const after = foreignTree(ground);
  if (after !== before) throw new Error(`${told}\nchanged what is not its own:\n${before}\n\n${after}`);
  const left = readdirSync(ground.own).filter((name) => name.endsWith(".partial"));
  if (!isRaced && left.length > 0) throw new Error(`${told}\nleft ${left.join(", ")}`);
  return `${command}${isRaced ? " raced" : ""}: ${ended.code}`;
}
