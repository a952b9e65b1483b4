/**
 * Bundles from strangers: what `check --bundle` wrote, with its witness, its report and its files changed, grants and roots that lead
 * elsewhere among them, read by every command that reads one. Each ends, and nothing changes but what was named.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { below, pick, type RandomState, seedRandom } from "../../../src/base/index.ts";
import { changeJson, mutatedDocument } from "../inputs.ts";
import { mustEnd } from "./ended.ts";
import { disturb, foreignTree, type Ground, makeGround } from "./obstacles.ts";
import { wrongCheck } from "./usual.ts";

type Document = Record<string, unknown>;

/** What a stranger would put into a witness on purpose. */
const malice = ({ foreign }: Ground, random: RandomState): Document =>
  pick<Document>(random, [
    { grants: [foreign] },
    { rw: [foreign] },
    { root: foreign },
    { root: "/proc/self/root" },
    { readable: ["/"] },
    { directory: foreign },
    { directory: "/nonexistent" },
    { env: ["LD_PRELOAD=/nonexistent.so", "A=\u001b[2J", "="] },
    { setup: ["/bin/sh", "-c", `echo evil > ${foreign}/victim; echo evil > ${foreign}/new`] },
    { recover: ["/bin/sh", "-c", `echo evil > ${foreign}/victim; rm -rf ${foreign}/files; printf '\\033[8m'`] },
    { recover: ["/bin/sh", "-c", "while :; do :; done"] },
    { furtherRecoveries: Array.from({ length: 300 }, () => ["/bin/true"]) },
    { program: ["/bin/sh", "-c", "while :; do :; done"] },
    { program: ["../../../bin/true"] },
    { program: [] },
    { pm: ["*".repeat(5000)] },
    { pm: ["[z-a]"] },
    { limits: { memory: 0 } },
    { limits: { memory: 2 ** 53, bytes: 2 ** 53, threads: 2 ** 53 } },
    { seed: -1 },
    { schedule: "turn:0,0,0" },
    { pmHeap: { file: `${foreign}/victim`, bytes: 2 ** 24, fill: 0 } },
    { pmHeap: { file: "a.pool", bytes: 2 ** 52, fill: 300 } },
    { thenCommand: ["/bin/sh", "-c", "exit {n}"] },
  ]);

function changeWitness(text: string, ground: Ground, random: RandomState): string {
  const how = below(random, 4);
  if (how === 0) return mutatedDocument(text, random);
  const document = JSON.parse(text) as { witnesses: Document[] };
  const witnesses = document.witnesses.map((witness) => {
    const subject = { ...(witness["subject"] as Document), ...malice(ground, random) };
    return { ...witness, subject, ...(below(random, 3) === 0 && { choices: pick(random, choices) }) };
  });
  const many = how === 1 ? Array.from({ length: 1 + below(random, 2000) }, () => pick(random, witnesses)) : witnesses;
  return JSON.stringify({ ...document, witnesses: many });
}

const choices = [
  "",
  "crash:0",
  "crash:1",
  "crash:99999999999999999999",
  "crash:5 keep:1",
  "turn:1 crash:3",
  "x".repeat(1e5),
];

const files = [
  "witness.json",
  "report.json",
  "digests.json",
  "replay.sh",
  "crashed/1/open.sh",
  "crashed/1/input",
  "crashed/1/files",
  "crashed/1",
  "crashed",
];

/** Some changes to a copy of a bundle. */
function change(bundle: string, ground: Ground, random: RandomState): void {
  const rewrite = (name: string, changed: (text: string) => string) =>
    writeFileSync(join(bundle, name), changed(readFileSync(join(bundle, name), "utf8")));
  rewrite("witness.json", (text) => (below(random, 4) === 0 ? text : changeWitness(text, ground, random)));
  rewrite("report.json", (text) =>
    below(random, 2) === 0 ? mutatedDocument(text, random) : JSON.stringify(changeJson(JSON.parse(text), random)),
  );
  if (below(random, 10) === 0)
    truncateSync(join(bundle, pick(random, ["witness.json", "report.json"])), pick(random, [0, 10, 2 ** 31, 2 ** 40]));
  for (let times = below(random, 4); times > 0; times--)
    disturb(join(bundle, pick(random, files)), { ...ground, own: bundle }, random);
}

const seconds = 5;

const readers: readonly ((random: RandomState) => { readonly args: readonly string[]; readonly isTimed: boolean })[] = [
  () => ({ args: ["replay", "bundle"], isTimed: true }),
  () => ({ args: ["replay", "bundle/witness.json"], isTimed: true }),
  () => ({ args: ["replay", "bundle", "--dump", "out"], isTimed: true }),
  () => ({ args: ["replay", "bundle", "--dump", "bundle/crashed"], isTimed: true }),
  (random) => ({ args: ["replay", "bundle", "--only", String(1 + below(random, 3))], isTimed: true }),
  () => ({ args: ["page", "bundle/report.json"], isTimed: false }),
  () => ({ args: ["page", "bundle/report.json", "-o", "out.html"], isTimed: false }),
  () => ({ args: [...wrongCheck.words, "--baseline", "bundle/report.json", ...wrongCheck.program], isTimed: true }),
  () => ({
    args: ["fix", "--from", "bundle/witness.json", ...wrongCheck.words.slice(2), ...wrongCheck.program],
    isTimed: true,
  }),
  () => ({
    args: ["fix", "--from", "bundle/report.json", ...wrongCheck.words.slice(2), ...wrongCheck.program],
    isTimed: true,
  }),
];

export async function runBundleMutant(seed: number, bundle: string): Promise<string> {
  const random = seedRandom(seed);
  const base = mkdtempSync(join(tmpdir(), "blackout-bundles-"));
  try {
    const ground = makeGround(base);
    const copy = join(ground.own, "bundle");
    cpSync(bundle, copy, { recursive: true });
    change(copy, ground, random);
    const before = foreignTree(ground);
    const { args, isTimed } = pick(random, readers)(random);
    const [command = "", ...rest] = args;
    const timed = isTimed ? ["--time", `${seconds}s`, "--max-host-memory", "1G"] : [];
    const { code } = await mustEnd({ args: [command, ...timed, ...rest], cwd: ground.own, seconds }, [0, 1, 2, 3]);
    if (foreignTree(ground) !== before) throw new Error(`blackout ${args.join(" ")} changed what is not its own`);
    return `${command}: ${code}`;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
