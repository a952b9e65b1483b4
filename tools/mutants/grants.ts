/**
 * Random file calls of two guests that share a granted directory, while names in it are exchanged behind their backs; beside
 * it lie canaries that must stay as they are.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { below, pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import { RealFiles } from "../../src/host/index.ts";
import { AT, type GuestFiles, O } from "../../src/machine/files/index.ts";
import { type Operation, perform, randomOperation } from "../../test/files/operations.ts";
import { makeFiles } from "../../test/files/support.ts";
import { treeOf } from "../../test/support/trees.ts";

const canaries = ["low", "a", "b", "sub/a", "sub/low"];

function plantCanaries(folder: string): void {
  mkdirSync(join(folder, "sub"), { recursive: true });
  for (const name of canaries) writeFileSync(join(folder, name), `${name} is as it was`);
}

/** A name that meant a directory leads out of the grant from now on. */
function turnName(files: GuestFiles, name: string, outside: string, random: RandomState): void {
  if (below(random, 2) === 0) files.rename(AT.FDCWD, name, AT.FDCWD, `${name}-old`, 0);
  else files.unlink(AT.FDCWD, name, AT.REMOVEDIR);
  files.symlink(outside, AT.FDCWD, name);
}

/** Through a directory that is held, to a name that a canary has. */
const attacks: readonly ((files: GuestFiles, held: number, name: string) => void)[] = [
  (files, held, name) => {
    const fd = files.open(held, name, O.RDWR, 0);
    if (fd < 0) return;
    files.write(fd, new TextEncoder().encode("CHANGED"), 0);
    files.ftruncate(fd, 3);
    files.fchmod(fd, 0o4777);
    files.close(fd);
  },
  (files, held, name) => files.unlink(held, name, 0),
  (files, held, name) => files.chmod(held, name, 0o777, 0),
  (files, held, name) => files.rename(held, name, AT.FDCWD, "stolen", 0),
  (files, held, name) => files.rename(AT.FDCWD, "own", held, name, 0),
  (files, held, name) => files.link(held, name, held, `${name}-hard`, 0),
  (files, held, name) => files.mkdir(held, `${name}-new`, 0o777),
  (files, held, name) => files.symlink("x", held, `${name}-soft`),
  (files, held, name) => files.close(files.open(held, `${name}-new`, O.RDWR | O.CREAT, 0o666)),
  (files, held, name) => files.utimens(held, name, 0n, 0n, 0),
];

/** What guests would do on purpose: one holds a directory, it or the other turns its name, and the first goes through. */
function attack(guests: readonly GuestFiles[], outside: string, random: RandomState): void {
  const files = pick(random, guests);
  const name = pick(random, ["a", "b", "c", "d", "sub", "sub/a"]);
  files.mkdir(AT.FDCWD, name, 0o755);
  const held = files.open(AT.FDCWD, name, O.RDONLY | O.DIRECTORY | O.NOFOLLOW, 0);
  if (held < 0) return;
  turnName(pick(random, guests), name, outside, random);
  for (let times = 0; times < 4; times++) pick(random, attacks)(files, held, pick(random, canaries));
  files.close(held);
  if (below(random, 2) === 0) files.unlink(AT.FDCWD, name, 0);
}

const isHarmlessToUs = (operation: Operation): boolean => operation[0] !== "umask";

/** Throws when a canary has changed; gives the number of calls made. */
export function runGrantMutant(seed: number, calls = 400): number {
  const random = seedRandom(seed);
  const base = mkdtempSync(join(tmpdir(), "blackout-grants-"));
  const hosts = [new RealFiles(), new RealFiles()];
  try {
    const [granted, outside] = [join(base, "granted"), join(base, "outside")];
    mkdirSync(granted);
    plantCanaries(outside);
    symlinkSync(outside, join(granted, "e"));
    const before = treeOf(outside);
    const options = { grants: [granted], workingDirectory: granted };
    const guests = hosts.map((host) => makeFiles(host, options).files);
    for (let call = 0; call < calls; call++) {
      const files = pick(random, guests);
      if (below(random, 8) === 0) attack(guests, outside, random);
      const operation = randomOperation(random, { absolute: false, holes: false });
      if (isHarmlessToUs(operation)) perform(files, operation);
    }
    const after = treeOf(outside);
    if (after.join("\n") !== before.join("\n"))
      throw new Error(`seed ${seed}: a canary has changed: ${after.join(", ")}`);
    return calls;
  } finally {
    for (const host of hosts) host.letGo();
    rmSync(base, { recursive: true, force: true });
  }
}
