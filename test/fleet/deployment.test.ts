/** The compose file and the systemd unit of docs/fleet.md: read as what reads them would. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { workerCommandLine } from "../../src/app/commands/fleet-worker.ts";

const page = readFileSync("docs/fleet.md", "utf8");
const block = (language: string): string => {
  const found = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1];
  if (found === undefined) throw new Error(`docs/fleet.md has no block of ${language}`);
  return found;
};

/** Of a unit file: systemd.syntax(7). */
function unitOf(text: string): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  let section = "";
  for (const line of text.split("\n")) {
    if (line === "" || /^[#;]/.test(line)) continue;
    const [, heading] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, key, value] = /^(\w+)=(.+)$/.exec(line) ?? [];
    if (heading !== undefined) section = heading;
    else if (key !== undefined && section !== "") settings.set(`${section}.${key}`, value!);
    else throw new Error(`no line of a unit file: ${line}`);
  }
  return settings;
}

const hasYaml = spawnSync("python3", ["-c", "import yaml"]).status === 0;
const hasCompose = spawnSync("docker", ["compose", "version"]).status === 0;

it.runIf(hasYaml)("the compose file has a Redis that keeps what it hears, and workers that find it", () => {
  const script = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin.read())))";
  const text = execFileSync("python3", ["-c", script], { input: block("yaml"), encoding: "utf8" });
  const { services } = JSON.parse(text) as {
    readonly services: Record<"redis" | "worker", { command: string[]; environment: Record<string, string> }>;
  };
  expect(Object.keys(services)).toEqual(["redis", "worker"]);
  expect(services.redis.command).toEqual(expect.arrayContaining(["--appendonly", "yes"]));
  expect(services.worker.command.at(-1)).toMatch(/exec blackout worker$/);
  expect(Object.keys(services.worker.environment)).toEqual(["BLACKOUT_REDIS"]);
});

it.runIf(hasCompose)("docker compose takes it", () => {
  const folder = mkdtempSync(join(tmpdir(), "blackout-compose-"));
  try {
    writeFileSync(join(folder, "docker-compose.yml"), block("yaml"));
    const command = ["compose", "--project-directory", folder, "config", "--quiet"];
    execFileSync("docker", command, { cwd: folder, env: { ...process.env, FLEET_PASSWORD: "x" }, stdio: "pipe" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("the systemd unit starts a command that there is, and ends it as the command ends", () => {
  const unit = unitOf(block("ini"));
  const [program, name] = unit.get("Service.ExecStart")!.split(" ");
  expect([program, workerCommandLine().name()]).toEqual(["/usr/local/bin/blackout", `blackout ${name}`]);
  expect(unit.get("Service.KillSignal")).toBe("SIGINT");
  expect(unit.get("Install.WantedBy")).toBe("multi-user.target");
});
