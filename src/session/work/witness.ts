/** The witness of a finding: what its run depended on, and the choices that show it. */
import { blackoutVersion } from "../../base/index.ts";
import type { Witness } from "../../crash/states/index.ts";
import type { LeadScene } from "./engine.ts";

const base64 = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

export function witnessOf(scene: LeadScene, found: Pick<Witness, "choices" | "expected" | "fingerprint">): Witness {
  const { subject, judging, input, files, run } = scene;
  const { grants: _grants, measured: _measured, patches: _patches, schedule: _schedule, ...rest } = subject.options;
  const choices = [...run.schedule, ...found.choices];
  const { uid, gid } = subject.ports.files;
  const recorded = { input: base64(input), user: { uid, gid }, files: files() };
  return { blackout: blackoutVersion, subject: rest, ...recorded, judging, ...found, choices };
}
