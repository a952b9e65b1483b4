/**
 * Commands where the system gives little: few descriptors, few addresses, closed and full streams, odd masks and variables, another
 * user, a working directory that is gone, full and read-only disks. Each ends as it would elsewhere, or with a sentence.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { below, pick, type RandomState, seedRandom } from "../../../src/base/index.ts";
import { mustEnd, quoted } from "./ended.ts";
import { foreignTree, makeGround } from "./obstacles.ts";
import { programCommands, readingCommands } from "./usual.ts";

interface Surroundings {
  /** Run before the command, in its shell. */
  readonly before: readonly string[];
  /** Words before the command. */
  readonly runner: string;
  /** Behind the command. */
  readonly streams: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether somebody can read what it says. */
  readonly isSilent: boolean;
}

type Change = (random: RandomState, own: string) => Partial<Surroundings>;

const kilobytes = [
  500_000, 1_600_000, 3_000_000, 6_000_000, 10_000_000, 14_000_000, 20_000_000, 40_000_000, 70_000_000,
];

/** As root in this namespace of mounts only. */
const disk = (where: string, options: string, then: string): string =>
  `mkdir -p ${quoted(where)}; mount -t tmpfs -o ${options} none ${quoted(where)}; ${then}; cd "$PWD"`;
const filling = (where: string): string =>
  `head -c 1000000 /dev/zero > ${quoted(join(where, "filler"))} 2>/dev/null; true`;

const variables = [
  "HOME",
  "TMPDIR",
  "XDG_CACHE_HOME",
  "BLACKOUT_CACHE",
  "LANG",
  "LC_ALL",
  "TERM",
  "COLUMNS",
  "TZ",
  "NO_COLOR",
  "USER",
];
const values = [
  "",
  "/",
  ".",
  "x",
  "/nonexistent/x",
  "/proc/self/fd",
  "/dev/null",
  "-1",
  "0",
  "1",
  "99999999999999999999",
  "C",
  "tr_TR.UTF-8",
];

const changes: readonly Change[] = [
  (random) => ({
    before: [`ulimit ${pick(random, ["-Sn", "-n"])} ${8 + below(random, below(random, 2) === 0 ? 60 : 400)}`],
  }),
  (random) => ({ before: [`ulimit -v ${pick(random, kilobytes) + below(random, 500_000)}`] }),
  (random) => ({ before: ['trap "" XFSZ', `ulimit -f ${below(random, 64)}`] }),
  (random) => ({
    before: [`ulimit ${pick(random, ["-s 256", "-s unlimited", "-c 0", "-l 0", "-d 500000", "-d 3000000", "-i 0"])}`],
  }),
  (random) => ({ before: [`umask ${pick(random, ["0", "022", "077", "0777", "0700", "0177", "0222"])}`] }),
  (random) => ({ streams: [pick(random, ["<&-", "< /", "< /dev/zero"])] }),
  (random) => ({ streams: [pick(random, [">&-", "> /dev/full", "> /dev/null", "1< /dev/null"])] }),
  (random) => ({ streams: [pick(random, ["2>&-", "2> /dev/full", "2< /dev/null"])], isSilent: true }),
  () => ({ streams: ["<&-", ">&-", "2>&-"], isSilent: true }),
  () => ({ streams: ["| head -c 0; exit ${PIPESTATUS[0]}"] }),
  (random) => ({ env: { [pick(random, variables)]: pick(random, [undefined, ...values]) } }),
  (random) => ({ env: Object.fromEntries(variables.map((name) => [name, pick(random, [undefined, ...values])])) }),
  () => ({
    env: Object.fromEntries(
      Object.keys(process.env)
        .filter((name) => name !== "PATH")
        .map((name) => [name, undefined]),
    ),
  }),
  () => ({ before: ["mkdir gone", "cd gone", "rmdir ../gone"] }),
  (random) => ({
    before: [
      `d=$'${pick(random, ["a b", "\\xff\\xfe", "\\e[2J", "-x", "a\\nb", "*", "{0}"])}'`,
      'mkdir -p -- "$d"',
      'cd -- "$d"',
    ],
  }),
  (random, own) => ({ runner: asNobody, before: [`chown nobody ${pick(random, ["/dev/null", quoted(own)])}; true`] }),
  (_random, own) => ({ runner: asNobody, before: [`chmod 700 ${quoted(own)}`] }),
  (_random, own) => ({ before: [disk(own, "size=64k", filling(own)), `cd ${quoted(own)}`] }),
  (random, own) => ({
    before: [disk(own, `size=${pick(random, ["16k", "100k", "400k", "1m"])}`, "true"), `cd ${quoted(own)}`],
  }),
  (_random, own) => ({ before: [disk(own, "ro", "true"), `cd ${quoted(own)}`] }),
  (random, own) => {
    const where = join(own, "disk");
    const mounted = pick(random, [disk(where, "ro", "true"), disk(where, "size=64k", filling(where))]);
    return { before: [mounted], env: { [pick(random, ["TMPDIR", "HOME", "BLACKOUT_CACHE"])]: where } };
  },
];

const asNobody = "setpriv --reuid=65534 --regid=65534 --clear-groups";

function drawn(random: RandomState, own: string): Surroundings {
  let all: Surroundings = { before: [], runner: "", streams: [], env: {}, isSilent: false };
  for (let times = pick(random, [1, 1, 1, 2, 3]); times > 0; times--) {
    const {
      before = [],
      streams = [],
      env = {},
      runner = all.runner,
      isSilent = all.isSilent,
    } = pick(random, changes)(random, own);
    all = {
      before: [...all.before, ...before],
      streams: [...all.streams, ...streams],
      env: { ...all.env, ...env },
      runner,
      isSilent,
    };
  }
  return all;
}

/** What is asked for may be refused here: then the surroundings are the usual ones in that. */
const scriptOf = ({ before, runner, streams }: Surroundings): string => {
  const lines = [...before.map((line) => `{ ${line}; } 2>/dev/null`), `${runner} "$@" ${streams.join(" ")}`];
  return `exec unshare -m /bin/bash -c ${quoted(lines.join("\n"))} "$0" "$@"`;
};

const outputs = [[], [], ["--report", "r"], ["--html", "h"], ["--save-baseline", "b"]] as const;
const seconds = 20;
const takesReport = (command: string): boolean => !["run", "replay", "page", "litmus", "prove"].includes(command);

/** Runs one command; throws where it ends as it must not, or changes something elsewhere. */
export async function runSurroundingsMutant(seed: number, bundle: string): Promise<string> {
  const random = seedRandom(seed);
  const base = mkdtempSync(join(tmpdir(), "blackout-surroundings-"));
  try {
    const ground = makeGround(base);
    chmodSync(base, 0o755);
    mkdirSync(join(ground.own, "disk"));
    const surroundings = drawn(random, ground.own);
    const usual = pick(random, [...programCommands, ...readingCommands(bundle)]);
    const command = usual.words[0]!;
    const options = takesReport(command) ? pick(random, outputs) : [];
    const timed = ["page", "litmus"].includes(command) ? [] : ["--time", `${seconds}s`];
    const args = [...usual.words, ...options, ...timed, ...usual.program];
    const before = foreignTree(ground);
    const tried = { args, cwd: ground.own, seconds, script: scriptOf(surroundings) };
    const env = { ...process.env, ...surroundings.env };
    // A program that cannot make its file says so itself.
    const isSilent = surroundings.isSilent || command === "run";
    const ended = await mustEnd({ ...tried, env }, [usual.code, 2, 3], isSilent);
    if (foreignTree(ground) !== before)
      throw new Error(`seed ${seed}: blackout ${args.join(" ")} changed what is not its own`);
    const left = readdirSync(ground.own).filter((name) => name.endsWith(".partial"));
    if (left.length > 0) throw new Error(`seed ${seed}: blackout ${args.join(" ")} left ${left.join(", ")}`);
    return `${command}: ${ended.code}`;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** Whether this computer lets us have mounts of our own. */
export function canMount(): boolean {
  try {
    execFileSync("unshare", ["-m", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
