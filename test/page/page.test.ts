/** The page in a real browser: what a reader does with it, by pointer and by keys, in light and dark, on a phone. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type * as document from "../../src/report/document/index.ts";
import { reportPage } from "../../src/report/document/index.ts";
import { buildPage } from "../../tools/build-page.mjs";
import { checkGuest, checkSource, pool } from "../check/guests.ts";
import { reportOf } from "../support/findings.ts";
import { chromiumPath, launch, noChromium, type Opened, open } from "./browser.ts";
import { ReportBuilder } from "./builder.ts";
import { hostileReport, longTimeline, manyFindings, sampleReport } from "./samples.ts";

if (chromiumPath === undefined) console.warn(noChromium);

const folder = mkdtempSync(join(tmpdir(), "blackout-page-"));
let browser: Browser;
let template = "";
let opened: Opened | undefined;

/** Shows a report; when the test ends it must have complained of nothing and asked nobody for anything. */
async function show(report: document.Report, hash = "", options: BrowserContextOptions = {}): Promise<Page> {
  const file = join(folder, "report.html");
  writeFileSync(file, reportPage(template, report));
  opened = await open(browser, file, options, hash);
  return opened.page;
}

/** A page may take its time, on a busy computer even long: what is expected is waited for. */
const soon = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 60_000, interval: 20 });

const headline = (page: Page) => page.locator("#headline").textContent();
const rows = (page: Page) => page.locator("#findings [role=option]").count();
const count = (page: Page) => page.locator(".list-count").textContent();
const hashIs = (page: Page, hash: string) => page.waitForFunction(`location.hash === ${JSON.stringify(hash)}`);

describe.skipIf(chromiumPath === undefined)("the page", () => {
  beforeAll(async () => {
    [template, browser] = await Promise.all([buildPage(), launch()]);
  });
  afterEach(async () => {
    const { errors, requests, close } = opened!;
    await close();
    expect(errors).toEqual([]);
    expect(requests).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  it("opens on the worst finding, with all its parts", async () => {
    const page = await show(sampleReport());
    await soon(() => headline(page)).toBe(sampleReport().findings[0]!.headline);
    await soon(() => page.title()).toBe("Blackout: ./log pool");
    await soon(() => page.locator("section.section > header h2").allTextContents()).toEqual([
      "Source",
      "What happens",
      "Timeline",
      "What recovery read",
      "Tree of recoveries",
      "Fix",
      "See it again",
    ]);
    await soon(() => page.locator(".marked .line-number").allTextContents()).toEqual(["6", "9", "10", "17"]);
    await soon(() => page.locator(".story").textContent()).toContain("record 0 is damaged");
    await soon(() => page.locator("#fix .added .line-text").textContent()).toContain("pmem_drain();");
    await soon(() => page.locator("#fix .badge").textContent()).toBe(
      "fix tested: the failure is gone, 412 crash states judged",
    );
    await soon(() => page.locator(".command code").textContent()).toBe("blackout replay witness.json");
  });

  it("shows what explore found in a real program, with its timeline, reads and tree, and the run's failure points", async () => {
    const report = await reportOf("explore", ["--no-journal", "--", checkGuest("list", "MISSING_FLUSH"), pool]);
    const page = await show(report);
    const parts = page.locator("section.section > header h2");
    for (const part of [
      "Source",
      "What happens",
      "Timeline",
      "What recovery read",
      "Tree of recoveries",
      "See it again",
    ])
      await soon(() => parts.allTextContents()).toContain(part);
    await soon(() => page.locator(".event-kind.lost").count()).toBeGreaterThan(0);
    await soon(() => page.locator(".read-row.fatal").count()).toBeGreaterThan(0);
    await soon(() => page.locator("#recoveries .outcome.failed").count()).toBeGreaterThan(0);
    await page.getByRole("link", { name: "Run", exact: true }).click();
    await soon(() => page.locator("#lines [role=option]").first().textContent()).toMatch(/^(list\.c|structure\.h):\d+/);
    await soon(() => page.locator("#coverage").textContent()).toContain("recoveries of");
  });

  it("opens the timeline of stores out of order at the later of the two", async () => {
    const report = await reportOf("robust", ["--no-journal", "--", checkGuest("undolog", "MISSING_FENCE"), pool]);
    const { robustness, timeline } = report.findings[0]!;
    const later = robustness!.later.event;
    expect(timeline!.events.at(-1)!.event).toBeGreaterThan(later);
    const page = await show(report);
    await soon(() => page.locator("#timeline .event-detail b").textContent()).toBe(`event ${later}`);
  });

  it("does not call lost what only ends the time in which recovery fails", async () => {
    const sources = ["--source", dirname(checkSource("list"))];
    const report = await reportOf("check", ["--no-rules", ...sources, "--", checkGuest("list", "HANG"), pool]);
    const page = await show(report);
    const notes = () => page.locator("#source .note b").allTextContents();
    await soon(notes).toContain("until this");
    expect(await notes()).not.toContain("lost");
    const tags = () => page.locator(".story .tag").allTextContents();
    await soon(tags).toEqual(["until this", "power cut", "recovery"]);
  });

  it("shows every kind of finding, without the parts that it has no data for", async () => {
    const page = await show(sampleReport());
    for (const [at, { headline: expected, timeline, tree, cure }] of sampleReport().findings.entries()) {
      if (at > 0) await page.keyboard.press("j");
      await soon(() => headline(page)).toBe(expected);
      await soon(() => page.locator("#timeline").count()).toBe(timeline === undefined ? 0 : 1);
      await soon(() => page.locator("#tree").count()).toBe(tree === undefined ? 0 : 1);
      await soon(() => page.locator("#fix").count()).toBe(cure?.diff === undefined ? 0 : 1);
    }
  });

  it("says so when nothing was found", async () => {
    const page = await show(new ReportBuilder().report([]));
    await soon(() => page.locator("main").textContent()).toContain("Nothing was found");
  });

  it("filters by words and by severity", async () => {
    const page = await show(sampleReport());
    await soon(() => count(page)).toBe("10 findings");
    await page.getByLabel("Search findings").fill("hangs");
    await soon(() => count(page)).toBe("1 of 10 findings");
    await soon(() => headline(page)).toContain("endless");
    await page.getByLabel("Search findings").fill("no such thing");
    await soon(() => page.locator(".empty").textContent()).toBe("No finding matches.");
    await page.getByLabel("Search findings").fill("");
    await page.getByRole("button", { name: "7 errors" }).click();
    await soon(() => count(page)).toBe("3 of 10 findings");
    await soon(() => page.getByRole("button", { name: "7 errors" }).getAttribute("aria-pressed")).toBe("false");
  });

  it("has an address for each finding and event, and goes back", async () => {
    const page = await show(sampleReport(), "#finding=a1hangs");
    await soon(() => headline(page)).toContain("endless");
    await page.locator("#findings [role=option]").first().click();
    await hashIs(page, "#finding=67fbc389fc98cd13");
    await page.goBack();
    await soon(() => headline(page)).toContain("endless");
    await page.getByRole("link", { name: "Run", exact: true }).click();
    await soon(() => page.locator("#run-title").textContent()).toBe("./log pool");
  });

  it("moves along the timeline by keys, by its list and by the pointer", async () => {
    const page = await show(sampleReport());
    const timeline = page.getByRole("slider", { name: "Timeline" });
    const said = () => timeline.getAttribute("aria-valuetext");
    await soon(() => said()).toBe("event 76, store of 8 bytes to log->len, kept by this crash");
    await timeline.focus();
    await page.keyboard.press("ArrowRight");
    await soon(() => said()).toBe("event 77, clwb of log->len");
    await hashIs(page, "#finding=67fbc389fc98cd13&event=77");
    await page.keyboard.press("Home");
    await soon(() => said()).toBe("event 55, store of 8 bytes to log->rec[0].text, lost in this crash");
    await soon(() => page.locator("#events [aria-selected=true] .event-number").textContent()).toBe("55");
    await page.locator("#events [role=option]", { hasText: "sfence" }).click();
    await soon(() => said()).toBe("event 78, sfence");
    const box = (await timeline.boundingBox())!;
    await page.mouse.move(box.x + 60, box.y + 40);
    await soon(() => page.locator(".event-detail").textContent()).toContain("event 56");
    await page.mouse.click(box.x + 60, box.y + 40);
    await soon(() => said()).toContain("event 56,");
    for (const key of ["+", "+", "-", "0"]) await page.keyboard.press(key);
    await page.getByRole("button", { name: "Zoom in" }).click();
  });

  it("shows which read was fatal, and leads from it to the store that was lost", async () => {
    const page = await show(sampleReport());
    await soon(() => page.locator(".read-row.fatal").textContent()).toContain("log->rec[0].sum");
    await page.getByRole("button", { name: "Show the lost store" }).click();
    const timeline = page.getByRole("slider", { name: "Timeline" });
    await soon(() => timeline.getAttribute("aria-valuetext")).toContain(
      "event 73, store of 8 bytes to log->rec[0].sum",
    );
  });

  it("opens and closes the tree of recoveries by keys", async () => {
    const page = await show(sampleReport());
    const items = page.locator("#recoveries [role=treeitem]");
    await soon(() => items.count()).toBe(5);
    await page.locator("#recoveries").focus();
    await page.keyboard.press("ArrowLeft");
    await soon(() => items.count()).toBe(1);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await soon(() => page.locator("#recoveries [aria-selected=true]").textContent()).toContain("exits with 0");
  });

  it("shows the whole run, and leads from a line to its findings", async () => {
    const page = await show(sampleReport(), "#run=");
    const text = await page.locator("#run").textContent();
    for (const part of [
      "330 crash states of 400 judged: the time given was over",
      "120 skipped",
      "61.0 s",
      "maps pool twice",
    ])
      expect(text).toContain(part);
    await soon(() => page.locator("#lines [role=option]").first().textContent()).toContain("19 of 81");
    await soon(() => page.locator("#call-tree [role=treeitem]").nth(1).textContent()).toContain("main");
    await page.locator("#lines [role=option]").first().click();
    await soon(() => page.getByLabel("Search findings").inputValue()).toBe("log.c:9");
  });

  it("is dark where the system is, and as the reader likes", async () => {
    const page = await show(sampleReport(), "", { colorScheme: "dark" });
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor") as Promise<string>;
    const dark = await background();
    await page.getByRole("button", { name: "Theme: system" }).click();
    await soon(() => background()).not.toBe(dark);
    await page.getByRole("button", { name: "Theme: light" }).click();
    await soon(() => background()).toBe(dark);
    await page.emulateMedia({ colorScheme: "light" });
    await soon(() => background()).toBe(dark);
  });

  it("fits a phone: the list, then the finding, and back", async () => {
    const page = await show(sampleReport(), "", {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    await soon(() => page.locator("main").isVisible()).toBe(false);
    await page.locator("#findings [role=option]").first().tap();
    await soon(() => page.locator("#headline").isVisible()).toBe(true);
    await soon(() => page.locator("nav.list").isVisible()).toBe(false);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect(overflow).toBeLessThanOrEqual(0);
    const wide = await page.evaluate(
      "document.querySelector('.finding').scrollWidth - document.querySelector('.finding').clientWidth",
    );
    expect(wide).toBeLessThanOrEqual(0);
    await page.getByRole("link", { name: "← Findings" }).tap();
    await soon(() => page.locator("nav.list").isVisible()).toBe(true);
  });

  it("shows what a hostile guest wrote, and does not do it", async () => {
    const page = await show(hostileReport());
    await soon(() => headline(page)).toContain("</script><script>window.hacked = 1</script>");
    await soon(() => page.locator(".story").textContent()).toContain('onerror="window.hacked=2"');
    await page.getByRole("link", { name: "Run", exact: true }).click();
    await soon(() => page.locator("#warnings").textContent()).toContain("<img src=x");
    await soon(() =>
      page.evaluate("[typeof window.hacked, document.querySelectorAll('img').length, document.scripts.length]"),
    ).toEqual(["undefined", 0, 2]);
  });

  it("forbids itself every script but its own, and every request", async () => {
    const page = await show(sampleReport());
    const blocked = page.waitForEvent("console", {
      predicate: (message) => message.text().includes("Content Security Policy"),
    });
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.hacked = 1' }))",
    );
    await blocked;
    await soon(() => page.evaluate("typeof window.hacked")).toBe("undefined");
    await soon(() => page.evaluate("fetch('https://example.com/').then(() => 'sent', () => 'refused')")).toBe(
      "refused",
    );
    // These complaints were asked for, and the refused request never left.
    (opened!.errors as string[]).length = 0;
  });

  it("works by keys alone", async () => {
    const page = await show(sampleReport());
    await page.keyboard.press("/");
    await page.keyboard.type("log.c:8");
    await soon(() => page.getByLabel("Search findings").inputValue()).toBe("log.c:8");
    await page.getByLabel("Search findings").fill("");
    for (let tabs = 0; tabs < 10; tabs++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate("document.activeElement.id === 'findings'")) break;
    }
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await soon(() => headline(page)).toContain("endless");
    await page.keyboard.press("End");
    await soon(() => headline(page)).toContain("libpmemobj");
    await page.keyboard.press("?");
    await soon(() => page.getByRole("dialog", { name: "Keys" }).isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await soon(() => page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("r");
    await soon(() => page.locator("#run-title").isVisible()).toBe(true);
  });

  it("has a name for everything that can have the focus", async () => {
    for (const hash of ["", "#run="]) {
      await opened?.close();
      const page = await show(sampleReport(), hash);
      const session = await page.context().newCDPSession(page);
      const { nodes } = await session.send("Accessibility.getFullAXTree");
      const focusable = nodes.filter(
        ({ ignored, properties }) =>
          !ignored && properties?.some(({ name, value }) => name === "focusable" && value.value === true),
      );
      expect(focusable.length).toBeGreaterThan(8);
      expect(focusable.filter(({ name }) => !name?.value).map(({ role }) => role?.value)).toEqual([]);
    }
  });

  it("draws only what is in sight of 5000 findings", async () => {
    const page = await show(manyFindings(5000));
    await soon(() => rows(page)).toBeLessThan(40);
    await page.locator("#findings").focus();
    await page.keyboard.press("End");
    await soon(() => headline(page)).toContain("insert_4999");
    await soon(() => page.locator("#findings [aria-selected=true]").textContent()).toContain("insert_4999");
    await soon(() => rows(page)).toBeLessThan(40);
    await page.getByLabel("Search findings").fill("insert_4321");
    await soon(() => count(page)).toBe("1 of 5,000 findings");
  });

  it("draws only what is in sight of 100 000 events", async () => {
    const page = await show(longTimeline(100_000));
    const timeline = page.getByRole("slider", { name: "Timeline" });
    await timeline.focus();
    await page.keyboard.press("End");
    await soon(() => timeline.getAttribute("aria-valuetext")).toContain("event 99999");
    await soon(() => page.locator("#events [role=option]").count()).toBeLessThan(40);
    for (let times = 0; times < 12; times++) await page.keyboard.press("+");
    await page.keyboard.press("ArrowLeft");
    await soon(() => timeline.getAttribute("aria-valuetext")).toContain("event 9999");
  });
});
