/**
 * `make screenshots`: the pictures of the page in docs/images, of real reports. With a folder as argument, every finding of
 * these, and of the hand-written report that the tests use, goes there too, to be looked at.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type Report, reportPage } from "../src/report/document/index.ts";
import { chromiumPath, launch, noChromium, open } from "../test/page/browser.ts";
import { sampleReport } from "../test/page/samples.ts";
import { buildPage } from "./build-page.mjs";
import { buildStore } from "./demo/store.ts";

const root = resolve(import.meta.dirname, "..");
const images = join(root, "docs/images");
const desk = { viewport: { width: 1280, height: 860 } } as const;
const phone = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true } as const;

interface Shot {
  readonly file: string;
  readonly of: string;
  readonly hash?: string;
  readonly options: BrowserContextOptions;
  /** Scrolled to and taken alone, where it is not the whole window. */
  readonly part?: string;
}

async function settle(page: Page): Promise<void> {
  await page.locator("main").first().waitFor({ state: "attached" });
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

async function take(browser: Browser, { file, of, hash = "", options, part }: Shot): Promise<void> {
  const { page, close } = await open(browser, of, options, hash);
  await settle(page);
  if (part === undefined) await page.screenshot({ path: file });
  else await page.locator(part).screenshot({ path: file });
  await close();
  console.log(file);
}

/** What a command says of a program in a folder, as a report. */
function reportOf(folder: string, command: string, words: readonly string[]): Report {
  const options = ["--no-journal", "--stats", "--format", "json", "--report", "report.json"];
  const { status, stderr } = spawnSync(join(root, "blackout"), [command, ...options, ...words], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 1) throw new Error(`${command} exited with ${status}: ${stderr}`);
  return JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) as Report;
}

/** What check finds in the demo's store, and explore in a log that publishes a record before it is durable. */
function reports(folder: string) {
  buildStore(folder, "kv");
  const sources = ["--source", join(root, "guests/demo"), "--source", join(root, "examples")];
  const store = reportOf(folder, "check", [...sources, "--recover", "./kv rooms.pm check", "--", "./kv", "rooms.pm"]);
  const source = join(root, "examples/first/log.c");
  const built = spawnSync("gcc", ["-g", "-O1", source, "-o", join(folder, "log"), "-lpmem"], { encoding: "utf8" });
  if (built.status !== 0) throw new Error(built.stderr);
  return {
    store,
    log: reportOf(folder, "explore", [...sources, "--recover", "./log pool check", "--", "./log", "pool"]),
  };
}

async function picture(browser: Browser, folder: string): Promise<void> {
  const template = await buildPage();
  const pageOf = (name: string, report: Report): string => {
    const file = join(folder, `${name}.html`);
    writeFileSync(file, reportPage(template, report));
    return file;
  };
  const { store, log } = reports(folder);
  const [ofStore, ofLog] = [pageOf("store", store), pageOf("log", log)];
  const dark = { ...desk, colorScheme: "dark" } as const;
  const first = `#finding=${log.findings[0]!.fingerprint}`;
  const shots: Shot[] = [
    { file: join(images, "page.png"), of: ofStore, options: desk },
    { file: join(images, "page-run.png"), of: ofStore, hash: "#run=", options: desk },
    { file: join(images, "page-dark.png"), of: ofLog, options: dark },
    { file: join(images, "page-timeline.png"), of: ofLog, options: desk, part: "#timeline" },
    { file: join(images, "page-reads.png"), of: ofLog, options: desk, part: "#reads" },
    { file: join(images, "page-tree.png"), of: ofLog, options: desk, part: "#tree" },
    { file: join(images, "page-phone.png"), of: ofLog, hash: first, options: phone },
  ];
  const also = process.argv[2];
  const all = { store, log, sample: sampleReport() };
  if (also !== undefined)
    for (const [name, report] of Object.entries(all))
      for (const { fingerprint } of report.findings)
        shots.push({
          file: join(also, `${name}-${fingerprint}.png`),
          of: pageOf(name, report),
          hash: `#finding=${fingerprint}`,
          options: { viewport: { width: 1280, height: 1900 } },
        });
  for (const shot of shots) await take(browser, shot);
}

if (chromiumPath === undefined) console.error(noChromium);
else {
  const folder = mkdtempSync(join(tmpdir(), "blackout-screenshots-"));
  mkdirSync(images, { recursive: true });
  const browser = await launch();
  try {
    await picture(browser, folder);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}
