/** What a user recorded, another replays who may not write there: inside, the program may do what it might when it was recorded. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ForwardedFiles, type HostFiles } from "../../src/base/index.ts";
import { readWitnesses } from "../../src/crash/states/index.ts";
import { realPorts } from "../../src/host/index.ts";
import { replayWitness } from "../../src/session/work/index.ts";
import { checkGuest } from "../check/guests.ts";
import { runBlackout } from "../end-to-end/command.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-user-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const program = checkGuest("creating", "ORDER");

beforeAll(() => {
  const options = ["--no-rules", "--no-fix", "--no-explore", "--no-journal", "--witness", "w.json"];
  const words = ["--recover", `${program} a.pool check`, "--", program, "a.pool"];
  expect(runBlackout(["check", ...options, ...words], { cwd: folder }).code).toBe(1);
});

/** The host as somebody else sees it. */
class OtherUser extends ForwardedFiles {
  override readonly uid: number;
  override readonly gid: number;

  constructor(host: HostFiles) {
    super(host);
    this.uid = host.uid + 1;
    this.gid = host.gid + 1;
  }

  override permits(): boolean {
    return false;
  }
}

const witnesses = () => readWitnesses("w.json", readFileSync(join(folder, "w.json"), "utf8"));
const answers = (change: (witness: ReturnType<typeof witnesses>[number]) => ReturnType<typeof witnesses>[number]) => {
  const ports = { ...realPorts(), files: new OtherUser(realPorts().files), notice: () => undefined };
  return witnesses().map((witness) => replayWitness(change(witness), ports).replayed.answer);
};

it("the crashes are as recorded", () => {
  expect(new Set(answers((witness) => witness))).toEqual(new Set(["as recorded"]));
});

it("where nobody said who recorded it, there is no such crash", () => {
  expect(answers(({ user: _, ...witness }) => witness)).toContain("no such crash");
});
