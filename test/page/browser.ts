/** A real browser for tests, screenshots and benchmarks of the page: Debian's chromium, driven by playwright-core. */
import { accessSync, constants } from "node:fs";
import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const executables = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Undefined where there is none. */
export const chromiumPath = executables.find((path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

export const noChromium =
  "blackout: there is no chromium, so the page is not tested in a browser. As root, tools/setup-debian.sh installs it.";

export const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
    // Without a sandbox, since tests run as root in containers, where chromium refuses to make one. It opens our own file only.
    args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
  });

/** A page opened from disk, and what it did besides: errors it printed and requests it made. */
export interface Opened {
  readonly page: Page;
  readonly errors: readonly string[];
  /** Of anything but the file itself. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export async function open(
  browser: Browser,
  file: string,
  options: BrowserContextOptions = {},
  hash = "",
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  const url = pathToFileURL(file).href;
  const errors: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => {
    if (request.url().replace(/#.*/, "") !== url) requests.push(request.url());
  });
  await page.goto(`${url}${hash}`);
  return { page, errors, requests, close: () => context.close() };
}
