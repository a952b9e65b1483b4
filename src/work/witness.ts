/** The witness of a finding: what its run depended on, and the choices that show it. */
import type { Witness } from "../crash/index.ts";
import type { LeadScene } from "./engine.ts";
import { binaryDigests } from "./identity.ts";

const digests = new WeakMap<LeadScene, Witness["binaries"]>();

function digestsOf(scene: LeadScene): Witness["binaries"] {
  const known = digests.get(scene) ?? binaryDigests(scene.subject);
  digests.set(scene, known);
  return known;
}

const base64 = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

export function witnessOf(scene: LeadScene, found: Pick<Witness, "choices" | "expected" | "fingerprint">): Witness {
  const { subject, judging, input } = scene;
  const { grants: _grants, measured: _measured, patches: _patches, ...rest } = subject.options;
  return { subject: rest, input: base64(input), binaries: digestsOf(scene), judging, ...found };
}
