/**
 * The clients of Table 1 of Marmanis and Vafeiadis on our own versions of the three libraries: all schedules, and the solver by both crash
 * encodings, in processor seconds of walking, encoding and all questions, beside the paper's figures. The paper's clients are of other
 * code and its computer is another one. PROVE_ROWS picks some.
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { allSchedules, callBeforeMain, ProgramCode, proveCode, runToMain } from "../src/engines/index.ts";
import { px86 } from "../src/model/pmem/index.ts";
import { type StartSolver, startZ3 } from "../src/smt/index.ts";
import { type ClientRow, clientRows } from "../test/prove/clients.ts";
import { compileGuest, loadGuest } from "../test/support/programs.ts";
import { geometricMean, table } from "./figures.ts";
import { figure } from "./history.ts";

const states = 60_000;
/** Processor seconds after which a row is given up; Z3 looks at the clock only when it asks the theory. */
const most = 5;

class TimeOver extends Error {}

function cpuSeconds(work: () => string): readonly [answer: string, seconds: number] {
  const before = process.cpuUsage();
  const answer = work();
  const { user, system } = process.cpuUsage(before);
  return [answer, (user + system) / 1e6];
}

function libraries(level: string) {
  const loaded = (library: ClientRow["library"]) => {
    const path = compileGuest(`prove/${library}.c`, [level, "-g", "-mclwb"]);
    const { machine } = loadGuest([path]);
    const code = new ProgramCode(machine, readFileSync(path), path);
    runToMain(machine);
    if (library === "set") callBeforeMain(machine, "start", code.named("start")!);
    return { code, port: machine.port };
  };
  return { flit: loaded("flit"), queue: loaded("queue"), set: loaded("set") };
}

type Libraries = ReturnType<typeof libraries>;

function questionOf(from: Libraries, { library, threads, recover }: ClientRow) {
  return {
    ...from[library],
    threads: threads.map((name, thread) => ({ name, args: [BigInt(thread)] })),
    recover: { name: recover, args: [] },
  };
}

function schedules(from: Libraries, row: ClientRow) {
  let count = 0;
  const [answer, seconds] = cpuSeconds(() => {
    const verdict = allSchedules({
      ...{ question: questionOf(from, row), model: px86, states, reduce: true },
      alarm: () => {},
    });
    count = verdict.states;
    return verdict.answer;
  });
  return { answer, seconds, states: count };
}

function solved(start: StartSolver, from: Libraries, row: ClientRow, encoding: "full" | "partial") {
  let events = 0;
  const [answer, seconds] = cpuSeconds(() => {
    const from0 = process.cpuUsage().user;
    const alarm = () => {
      if (process.cpuUsage().user - from0 > most * 1e6) throw new TimeOver();
    };
    try {
      const verdict = proveCode({ question: questionOf(from, row), bound: 1, model: px86, encoding }, { start, alarm });
      events = verdict.events;
      return verdict.answer;
    } catch (error) {
      if (error instanceof TimeOver) return "time";
      throw error;
    }
  });
  return { answer, seconds, events };
}

const timeText = ({ answer, seconds }: { readonly answer: string; readonly seconds: number }): string =>
  answer === "time" || answer === "no verdict" ? `> ${seconds.toFixed(1)}` : seconds.toFixed(2);

export async function proveBench(): Promise<string> {
  const start = await startZ3();
  const picked = new RegExp(process.env.PROVE_ROWS ?? ".");
  const best: number[] = [];
  const cells: string[][] = [];
  const [optimised, plain] = [libraries("-O2"), libraries("-O0")];
  let slower = 0;
  for (const row of clientRows.filter(({ library, client }) => picked.test(`${library} ${client}`))) {
    const [quick, slow] = [schedules(optimised, row), schedules(plain, row)];
    const [full, partial] = (["full", "partial"] as const).map((encoding) => solved(start, optimised, row, encoding));
    const answered = [quick, full!, partial!].filter(({ answer }) => answer.startsWith("safe"));
    const least = Math.min(...answered.map(({ seconds }) => seconds));
    if (answered.length > 0) best.push(least);
    if (answered.length === 0 || least > row.paper[0]) slower++;
    cells.push([
      ...[row.library, row.client, `${full!.events}`, `${row.paper[1]}`],
      ...[`${quick.states}`, timeText(quick), timeText(slow), timeText(full!), timeText(partial!), `${row.paper[0]}`],
    ]);
    process.stderr.write(`${cells.at(-1)!.join(" ")}\n`);
  }
  const head = [
    ...["library", "client", "events", "the paper's nodes", "states"],
    ...["all schedules", "at -O0", "solver, full", "solver, partial", "the paper"],
  ];
  const mean = figure("proof of a client, geometric mean", geometricMean(best), " s", { most: 2 });
  return [
    "## Proofs",
    "",
    table(head, cells),
    "",
    `The better way of each row: ${mean} in the geometric mean of ${best.length} rows that are proven; ${slower} rows slower than the paper's or not proven.`,
    `All schedules up to ${states} states, the solver with loops gone through once again at most and ${most} s of processor time for a row.`,
  ].join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write(`${await proveBench()}\n`);
