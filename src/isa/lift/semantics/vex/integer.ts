/** Integer, logical and shuffling instructions: the legacy rows, lane by lane. */
import type { Lift } from "../../builder.ts";
import { changes, legacy, makes, vexRows } from "./lanes.ts";

/** Takes the destination's old value from their first source. */
const changed = [
  "paddb", "paddw", "paddd", "paddq", "psubb", "psubw", "psubd", "psubq", "paddsb", "paddsw", "paddusb", "paddusw",
  "psubsb", "psubsw", "psubusb", "psubusw", "pavgb", "pavgw", "pminub", "pmaxub", "pminsb", "pmaxsb", "pminuw", "pmaxuw",
  "pminsw", "pmaxsw", "pminud", "pmaxud", "pminsd", "pmaxsd", "pcmpeqb", "pcmpeqw", "pcmpeqd", "pcmpeqq", "pcmpgtb",
  "pcmpgtw", "pcmpgtd", "pcmpgtq", "psignb", "psignw", "psignd", "pmullw", "pmulld", "pmulhw", "pmulhuw", "pmuldq",
  "pmuludq", "pmaddwd", "pmulhrsw", "pmaddubsw", "psadbw", "phaddw", "phaddd", "phaddsw", "phsubw", "phsubd", "phsubsw",
  "pand", "andps", "andpd", "por", "orps", "orpd", "pandn", "andnps", "andnpd", "pxor", "xorps", "xorpd",
  "pshufb", "punpcklbw", "punpcklwd", "punpckldq", "punpcklqdq", "punpckhbw", "punpckhwd", "punpckhdq", "punpckhqdq",
  "unpcklps", "unpcklpd", "unpckhps", "unpckhpd", "packsswb", "packuswb", "packssdw", "packusdw", "shufps", "insertps",
  "palignr", "pblendw", "psllw", "pslld", "psllq", "psrlw", "psrld", "psrlq", "psraw", "psrad", "pslldq", "psrldq",
  "pinsrb", "pinsrw", "pinsrd", "pinsrq", "movhlps", "movlhps", "blendvps", "blendvpd", "pblendvb",
] as const; // biome-ignore format: by family

const made = [
  "pabsb", "pabsw", "pabsd", "pshufd", "pshufhw", "pshuflw", "phminposuw", "movddup", "movsldup", "movshdup",
  "movd", "movq", "pextrb", "pextrw", "pextrd", "pextrq", "extractps",
] as const; // biome-ignore format: by family

/** Each lane has a bit of its own for each of its elements, or a field. */
const ownBits = (bits: bigint) => (control: bigint, lane: number) => control >> (bits * BigInt(lane));

export const integerSemantics: Readonly<Record<string, Lift>> = {
  ...vexRows(changed, changes),
  ...vexRows(made, makes),
  vblendps: changes(legacy("blendps"), ownBits(4n)),
  vblendpd: changes(legacy("blendpd"), ownBits(2n)),
  vshufpd: changes(legacy("shufpd"), ownBits(2n)),
  vpblendd: changes(legacy("blendps"), ownBits(4n)),
  vmpsadbw: changes(legacy("mpsadbw"), ownBits(3n)),
};
