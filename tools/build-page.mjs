/**
 * The page that a report is shown on, as one file without the report: script and style inside it, and a policy that lets it
 * run that script, take that style, and load nothing from anywhere (src/app/commands/page-file.ts puts the report in).
 */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

async function bundled(entry, more = {}) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    charset: "ascii",
    logLevel: "warning",
    ...more,
  });
  return outputFiles[0].text.trim();
}

export async function buildPage() {
  const script = await bundled("src/report/page/main.tsx", {
    format: "iife",
    target: "es2022",
    platform: "browser",
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  const style = await bundled("src/report/page/style.css");
  // What would end the element early would be our own mistake, not the guest's.
  if (/<\/(script|style)/i.test(script + style)) throw new Error("the page's own code ends its element");
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<title>Blackout</title>
<style>${style}</style>
</head>
<body>
<div id="root"></div>
<script type="application/json" id="report">BLACKOUT_REPORT</script>
<script>${script}</script>
</body>
</html>
`;
}
