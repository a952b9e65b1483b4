/** The page in a real browser: how soon a large report is there, and how long the longest frame is while a reader moves in it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { type Report, reportPage } from "../src/report/document/index.ts";
import { chromiumPath, launch, noChromium, open } from "../test/page/browser.ts";
import { longTimeline, manyFindings } from "../test/page/samples.ts";
import { buildPage } from "../tools/build-page.mjs";
import { median, table } from "./figures.ts";

const findings = 5_000;
const events = 100_000;
const rounds = 3;
/** Frames of each movement. */
const frames = 120;

/** Runs a step in each of many frames; the milliseconds between one frame and the next. */
const framesOf = async (page: Page, step: string): Promise<number[]> =>
  (await page.evaluate(`new Promise((done) => {
    const times = [];
    const step = (frame) => { ${step} };
    const next = (now) => {
      times.push(now);
      if (times.length > ${frames}) return done(times.slice(1).map((time, at) => time - times[at]));
      step(times.length);
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  })`)) as number[];

const press = (selector: string, key: string): string =>
  `document.querySelector(${JSON.stringify(selector)}).dispatchEvent(new KeyboardEvent("keydown", { key: ${JSON.stringify(key)}, bubbles: true, cancelable: true }));`;

interface Subject {
  readonly name: string;
  readonly report: Report;
  readonly movements: readonly (readonly [name: string, step: string])[];
}

const subjects = (): readonly Subject[] => [
  {
    name: `${findings} findings`,
    report: manyFindings(findings),
    movements: [
      ["scrolling the list", `document.querySelector("#findings").scrollTop = frame * 3000;`],
      ["next finding by key", press("#findings", "ArrowDown")],
      [
        "searching",
        `const box = document.querySelector("input[type=search]"); box.value = "insert_" + (frame % 50); box.dispatchEvent(new InputEvent("input", { bubbles: true }));`,
      ],
    ],
  },
  {
    name: `a timeline of ${events} events`,
    report: longTimeline(events),
    movements: [
      ["along the timeline by key", press("[role=slider]", "ArrowLeft")],
      ["zooming", `const key = frame % 40 < 20 ? "-" : "+"; ${press("[role=slider]", "KEY").replace('"KEY"', "key")}`],
      ["scrolling its list", `document.querySelector("#events").scrollTop = frame * 20000;`],
    ],
  },
];

interface TraceEvent {
  readonly name: string;
  readonly tid: number;
  /** CPU time, in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Milliseconds of CPU time of the page's longest task: what a frame takes at least, however busy the computer is. */
function longestTask(trace: string): number {
  const { traceEvents } = JSON.parse(trace) as { readonly traceEvents: readonly TraceEvent[] };
  const own = traceEvents.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const threads = new Set(own.map(({ tid }) => tid));
  const tasks = traceEvents.filter(({ name, tid }) => name === "RunTask" && threads.has(tid));
  if (tasks.length === 0) throw new Error("chromium's trace has no tasks of the page");
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

interface Moved {
  readonly frames: readonly number[];
  readonly task: number;
}

async function move(browser: Browser, page: Page, step: string): Promise<Moved> {
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
  const times = await framesOf(page, step);
  return { frames: times, task: longestTask((await browser.stopTracing()).toString()) };
}

/** From the navigation until the finding stands there, and how the movements went. */
async function measure(browser: Browser, file: string, { movements }: Subject) {
  const { page, close } = await open(browser, "/dev/null");
  const began = performance.now();
  await page.goto(pathToFileURL(file).href);
  await page.locator("#headline").waitFor();
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  const opened = performance.now() - began;
  const moved: Moved[] = [];
  for (const [, step] of movements) moved.push(await move(browser, page, step));
  await close();
  return { opened, moved };
}

const milliseconds = (values: readonly number[]): string => `${median(values).toFixed(0)} ms`;

async function rowsOf(browser: Browser, folder: string, template: string, subject: Subject): Promise<string[][]> {
  const file = join(folder, "report.html");
  writeFileSync(file, reportPage(template, subject.report));
  const runs: Awaited<ReturnType<typeof measure>>[] = [];
  for (let round = 0; round < rounds; round++) runs.push(await measure(browser, file, subject));
  const opened = median(runs.map((run) => run.opened));
  const rows = subject.movements.map(([name], at) => {
    const moved = runs.map((run) => run.moved[at]!);
    return [
      `${subject.name}, ${name}`,
      milliseconds(moved.flatMap((each) => each.frames)),
      milliseconds(moved.map((each) => Math.max(...each.frames))),
      milliseconds(moved.map(({ task }) => task)),
    ];
  });
  return [[`${subject.name}, opening`, `${(opened / 1000).toFixed(2)} s (bound 3 s)`, "", ""], ...rows];
}

export async function pageBench(): Promise<string> {
  const title = "## The page";
  if (chromiumPath === undefined) return [title, "", noChromium].join("\n");
  const folder = mkdtempSync(join(tmpdir(), "blackout-page-bench-"));
  const browser = await launch();
  try {
    const template = await buildPage();
    const rows: string[][] = [];
    for (const subject of subjects()) rows.push(...(await rowsOf(browser, folder, template, subject)));
    const note = [
      `In chromium ${browser.version()} without a GPU; medians of ${rounds} rounds, ${frames} frames each. Frames are by the`,
      `clock, while the load average was ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores; the longest task's CPU time is the page's own share.`,
    ].join("\n");
    const head = ["what", "a frame", "longest frame (bound 100 ms)", "CPU time of the longest task"];
    return [title, "", note, "", table(head, rows)].join("\n");
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write(`${await pageBench()}\n`);
