/**
 * `make screenshots`: the pictures of the page in docs/images. What check finds in the demo's store is shown as it is; parts
 * whose data no engine yields yet come from the hand-written report that the tests use. With a folder as argument, every
 * finding of that report goes there too, to be looked at.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { reportPage } from "../src/document/index.ts";
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

/** The page of what check finds in the demo's store. */
function demoPage(folder: string): string {
  buildStore(folder, "kv");
  const words = [
    "check",
    "--no-journal",
    "--html",
    "kv.html",
    "--source",
    join(root, "guests/demo"),
    "--recover",
    "./kv rooms.pm check",
    "--",
    "./kv",
    "rooms.pm",
  ];
  const { status, stderr } = spawnSync(join(root, "blackout"), words, { cwd: folder, encoding: "utf8" });
  if (status !== 1) throw new Error(`check exited with ${status}: ${stderr}`);
  return join(folder, "kv.html");
}

async function picture(browser: Browser, folder: string): Promise<void> {
  const report = sampleReport();
  const sample = join(folder, "sample.html");
  writeFileSync(sample, reportPage(await buildPage(), report));
  const demo = demoPage(folder);
  const dark = { ...desk, colorScheme: "dark" } as const;
  const [first] = report.findings;
  const shots: Shot[] = [
    { file: join(images, "page.png"), of: demo, options: desk },
    { file: join(images, "page-run.png"), of: demo, hash: "#run=", options: desk },
    { file: join(images, "page-dark.png"), of: sample, options: dark },
    { file: join(images, "page-timeline.png"), of: sample, options: desk, part: "#timeline" },
    { file: join(images, "page-phone.png"), of: sample, hash: `#finding=${first!.fingerprint}`, options: phone },
  ];
  const also = process.argv[2];
  if (also !== undefined)
    for (const { fingerprint } of report.findings)
      shots.push({
        file: join(also, `${fingerprint}.png`),
        of: sample,
        hash: `#finding=${fingerprint}`,
        options: { viewport: { width: 1280, height: 1500 } },
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
