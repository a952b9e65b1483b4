/**
 * Damaged input files: witnesses, recorded traces with their checksums put right, configurations and litmus tests. Each may
 * be refused, stopped at a limit or taken for what it says; nothing else comes out.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseWithConfig } from "../../src/app/commands/report-options.ts";
import { traceCommandLine } from "../../src/app/commands/trace.ts";
import {
  below,
  blackoutVersion,
  InputError,
  pick,
  type RandomState,
  Stopped,
  seedRandom,
} from "../../src/base/index.ts";
import { readWitnesses } from "../../src/crash/states/index.ts";
import { rulesEngine } from "../../src/engines/index.ts";
import { createBytes, openBytes, realPorts, startAlarm } from "../../src/host/index.ts";
import {
  defaultLimits,
  LimitReached,
  optionsFor,
  parseTests,
  reportTest,
  runTest,
} from "../../src/model/litmus/index.ts";
import { renderReport, reportOf } from "../../src/report/render/index.ts";
import { btraceSource } from "../../src/session/subject/index.ts";
import { differencesFrom, fileDigests, replayWitness, watchTrace } from "../../src/session/work/index.ts";
import { BtraceWriter, crc32 } from "../../src/trace/events/index.ts";
import { pm, TraceBuilder } from "../../test/trace/builder.ts";
import { buildGuest } from "../guests/build.ts";

const strange: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  1e300,
  2 ** 53,
  "",
  "\0",
  "\u001b[2J",
  "../../../etc/passwd",
  "x".repeat(10_000),
  [],
  {},
  [[]],
  { $bigint: "1e9" },
  { __proto__: null, kind: "exit" },
  "__proto__",
];

/** Another value somewhere in a document; now and then a key goes, or comes twice under another name. */
export function changeJson(value: unknown, random: RandomState): unknown {
  if (typeof value !== "object" || value === null || below(random, 6) === 0) return pick(random, strange);
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  const keys = Object.keys(copy);
  if (keys.length === 0) return pick(random, strange);
  const key = pick(random, keys);
  const how = below(random, 10);
  if (how === 0) delete copy[key];
  else if (how === 1) copy[pick(random, ["constructor", "toString", "kind", `${key}2`])] = copy[key];
  else copy[key] = changeJson(copy[key], random);
  return copy;
}

/** Bytes changed at random in a text, or a part of it repeated. */
function changeText(text: string, random: RandomState): string {
  const at = below(random, text.length);
  const to = Math.min(text.length, at + 1 + below(random, 20));
  return pick(random, [
    text.slice(0, at),
    text.slice(0, at) + text.slice(to),
    text.slice(0, to) + text.slice(at),
    text.slice(0, at) + pick(random, ["[", "{", '"', "\\", "\0", "9".repeat(400), "[".repeat(20_000)]) + text.slice(at),
  ]);
}

export const mutatedDocument = (text: string, random: RandomState): string =>
  below(random, 3) === 0 ? changeText(text, random) : JSON.stringify(changeJson(JSON.parse(text), random));

function inFolder<Result>(work: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), "blackout-mutant-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const witnessText = (): string => {
  const program = [buildGuest("programs/endless.c", ["-O1"]), "write"];
  const subject = {
    program,
    directory: tmpdir(),
    env: ["A=b"],
    seed: 0,
    cpu: "v3",
    limits: { memory: 2 ** 28 },
    jit: true,
    pm: [],
  };
  const judging = { expectExit: 0, oracle: "exit", hangLimit: 1_000_000, platform: "px86" };
  const crash = { choices: "crash:20", expected: { verdict: { kind: "exit", code: 1 }, said: "" }, fingerprint: "f" };
  const witness = {
    subject: { ...subject, pmMode: "dax", annotated: false },
    input: "",
    blackout: blackoutVersion,
    files: fileDigests([program[0]!], realPorts().files),
    judging,
    ...crash,
  };
  return JSON.stringify({ blackoutWitness: 3, witnesses: [witness] });
};

const seconds = 10;

function replayMutant(random: RandomState): void {
  const text = mutatedDocument(witnessText(), random);
  const ports = { ...realPorts(), alarm: startAlarm({ seconds }), notice: () => undefined };
  for (const witness of readWitnesses("witness", text)) {
    differencesFrom(witness, ports);
    replayWitness(witness, ports);
  }
}

function traceBytes(): Uint8Array {
  return inFolder((folder) => {
    const target = createBytes(join(folder, "a.btrace"));
    const trace = new TraceBuilder().map().store(pm, 1n).persist(pm).flush(pm, { at: "idle" }).fence().store(pm, 2n);
    trace.play((tables) => new BtraceWriter(tables, target, () => ({ command: ["./a"] })));
    target.close();
    return readFileSync(join(folder, "a.btrace"));
  });
}

const fileHead = 16;
const blockHead = 12;

/** Each block's checksum made that of its payload, as far as blocks can be told apart (docs/btrace.md). */
function repairChecksums(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = fileHead; at + blockHead <= bytes.length; ) {
    const length = view.getUint32(at + 4, true);
    if (at + blockHead + length > bytes.length) return;
    view.setUint32(at + 8, crc32(bytes.subarray(at + blockHead, at + blockHead + length)), true);
    at += blockHead + length;
  }
}

function traceMutant(random: RandomState): void {
  const bytes = Uint8Array.from(traceBytes());
  for (let changes = 1 + below(random, 4); changes > 0; changes--) {
    const at = fileHead + below(random, bytes.length - fileHead);
    bytes[at] = pick(random, [0, 1, 0x7f, 0x80, 0xff, below(random, 256), bytes[at]! ^ (1 << below(random, 8))]);
  }
  repairChecksums(bytes);
  inFolder((folder) => {
    const file = join(folder, "mutant.btrace");
    writeFileSync(file, bytes);
    const source = btraceSource(() => openBytes(file), realPorts());
    const rules = rulesEngine({ disabled: new Set(), custom: [], wantsAnnotations: false });
    const { findings, played } = watchTrace(source, [rules], () => []);
    const run = { command: "trace", engines: ["rules"], events: played.events };
    const report = reportOf(findings, { run, suppressed: 0, rules: rules.rules });
    const text = { readSource: () => undefined };
    for (const format of ["text", "json", "sarif", "junit"] as const)
      renderReport(format, report, { text, failOn: "error", withEffort: false });
  });
}

const configText = JSON.stringify({
  trace: {
    pm: ["/mnt/pmem/**"],
    "fail-on": "performance",
    suppressions: ["a"],
    seed: 7,
    jit: false,
    "max-memory": "2Gi",
  },
});

function configMutant(random: RandomState): void {
  inFolder((folder) => {
    const file = join(folder, "config.json");
    writeFileSync(file, mutatedDocument(configText, random));
    parseWithConfig(traceCommandLine(), "trace", ["--config", file, "--", "program"]);
  });
}

const litmusText = JSON.stringify({
  tests: [
    {
      name: "commit",
      locs: { d: 0, f: 1 },
      threads: [
        ["W d 1", "FL d", "W f 1"],
        ["W f 2", "MF"],
      ],
      checks: [{ crash: { f: 1, d: 0 }, verdict: "FORBIDDEN" }],
    },
  ],
});

function litmusMutant(random: RandomState): void {
  const limits = { ...defaultLimits, states: 2000, candidates: 20_000 };
  const run = optionsFor("px86", "fence", limits);
  const tests = parseTests({ file: "mutant.json", text: mutatedDocument(litmusText, random) });
  for (const test of tests)
    reportTest(runTest(test, ["operational", "axiomatic"], run), { explain: true, relations: [], run });
}

export const inputMutants = {
  witness: replayMutant,
  btrace: traceMutant,
  config: configMutant,
  litmus: litmusMutant,
} as const;

/** How a damaged file was taken; what is thrown besides a refusal or a limit comes out. */
export function runInputMutant(kind: keyof typeof inputMutants, seed: number): string {
  try {
    inputMutants[kind](seedRandom(seed));
    return "taken";
  } catch (error) {
    if (error instanceof InputError) return "refused";
    if (error instanceof Stopped || error instanceof LimitReached) return "stopped";
    throw error;
  }
}
