/** A Redis of the test's own, on a free port of this computer, which appends all that it hears to a file. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

export const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;

async function freePort(): Promise<number> {
  const server: Server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Killed, and started again with what it had written. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

async function startOn(port: number, folder: string): Promise<ChildProcess> {
  const options = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "yes"];
  const server = spawn("redis-server", [...options, "--appendfsync", "always"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  for await (const chunk of server.stdout!) if (String(chunk).includes("Ready to accept connections")) break;
  server.stdout!.resume();
  return server;
}

async function kill(server: ChildProcess): Promise<void> {
  const ended = once(server, "exit");
  server.kill("SIGKILL");
  await ended;
}

export async function startRedis(folder: string): Promise<TestRedis> {
  const port = await freePort();
  let server = await startOn(port, folder);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    async restart() {
      await kill(server);
      server = await startOn(port, folder);
    },
    stop: () => kill(server),
  };
}
