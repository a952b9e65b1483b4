/** `make executable`: the command as one file, for machines without Node: a copy of Node with all that it needs inside. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { neededModules } from "../needed-modules.mjs";
import { withBlob } from "./inject.mjs";

const root = resolve(import.meta.dirname, "../../..");
const target = resolve(process.argv[2] ?? join(root, "dist/blackout"));
await import("../layout.mjs");
const home = join(root, "dist/package");
const bundleName = readdirSync(home)
  .find((name) => /^blackout-[0-9a-f]{12}\.cjs$/.test(name))
  .replace(".cjs", "");

/** The launcher, which the program of the executable requires: no ES module can be. */
async function launcher() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/app/commands/executable-entry.ts"],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    write: false,
    logLevel: "warning",
    define: {
      bundleName: JSON.stringify(bundleName),
      "import.meta.dirname": "__dirname",
      "import.meta.url": "launcherUrl",
    },
    banner: { js: 'const launcherUrl = require("node:url").pathToFileURL(__filename).href;' },
  });
  return outputFiles[0].contents;
}

function* filesBelow(folder, name, skip = () => false) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const [file, path] = [join(folder, entry.name), `${name}/${entry.name}`];
    if (skip(path)) continue;
    const isFolder = statSync(file).isDirectory();
    if (isFolder) yield* filesBelow(file, path, skip);
    else yield { path, contents: readFileSync(file), mode: (statSync(file).mode & 0o100) | 0o600 };
  }
}

/** What only who imports the package needs; maps and types of the modules. */
const isLeftOut = (path) => /^package\/(types|index\.cjs)/.test(path) || /\.(d\.[cm]?ts|map|md)$/.test(path);

const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const files = [
  ...filesBelow(home, "package", isLeftOut),
  { path: "package/blackout.cjs", contents: await launcher(), mode: 0o600 },
  { path: "package/package.json", contents: Buffer.from('{ "type": "module" }'), mode: 0o600 },
  ...neededModules(Object.keys(dependencies)).flatMap(({ name, folder }) => [
    ...filesBelow(folder, `node_modules/${name}`, isLeftOut),
  ]),
];
const index = Buffer.from(
  JSON.stringify(files.map(({ path, contents, mode }) => ({ name: path, size: contents.length, mode }))),
);
const length = Buffer.alloc(4);
length.writeUInt32LE(index.length, 0);
const archive = Buffer.concat([length, index, ...files.map(({ contents }) => contents)]);

const stage = mkdtempSync(join(tmpdir(), "blackout-executable-"));
try {
  const at = (name) => join(stage, name);
  writeFileSync(at("archive"), gzipSync(archive));
  writeFileSync(at("build"), createHash("sha256").update(archive).digest("hex").slice(0, 16));
  const config = {
    main: join(import.meta.dirname, "unpack.cjs"),
    output: at("blob"),
    disableExperimentalSEAWarning: true,
    assets: { archive: at("archive"), build: at("build") },
  };
  writeFileSync(at("config.json"), JSON.stringify(config));
  execFileSync(process.execPath, ["--experimental-sea-config", at("config.json")], { stdio: "ignore" });
  mkdirSync(resolve(target, ".."), { recursive: true });
  const unfinished = `${target}.${process.pid}`;
  writeFileSync(unfinished, withBlob(readFileSync(process.execPath), readFileSync(at("blob"))));
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, target);
} finally {
  rmSync(stage, { recursive: true });
}
console.log(`${target}: ${(statSync(target).size / 2 ** 20).toFixed(0)} MiB`);
