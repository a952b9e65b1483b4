/**
 * Correct rounding of the transcendental functions: results computed once with 900 bits by another program (mpmath 1.3),
 * after reduction by the 66-bit pi. Columns: function, rounding mode, arguments, result; numbers as sign, exponent,
 * significand.
 */
import { expect, test } from "vitest";
import * as sf from "./index.ts";

type Parts = readonly [sign: number, exponent: number, significand: bigint];
type Row = readonly [name: string, rounding: number, args: readonly Parts[], result: Parts];

const functions: Record<string, (env: sf.FloatEnvironment, a: sf.Unpacked, b: sf.Unpacked) => sf.Unpacked> = {
  sin: sf.sine,
  cos: sf.cosine,
  tan: sf.tangent,
  "2xm1": sf.powerMinusOne,
  patan: sf.arcTangent2,
  yl2x: sf.timesLog2,
  yl2xp1: sf.timesLog2OnePlus,
};

// biome-ignore format: columns stay aligned
const rows: readonly Row[] = [
  ["yl2x", 1, [[0, 21, 0x9494499ec246c9d9n], [0, 60, 0xfe1014b8f43e5466n]], [0, 27, 0x8d96d2e055beb19en]],
  ["yl2x", 1, [[0, 21, 0x9494499ec246c9d9n], [0, 0, 0x800000000000039bn]], [0, -32, 0xc1364fab5308decfn]],
  ["yl2x", 1, [[0, 130, 0xda74c0ca4f13bac7n], [0, -20, 0xbd4161aec7733625n]], [1, 135, 0x84aef6b86d9081b7n]],
  ["yl2x", 1, [[0, 130, 0xda74c0ca4f13bac7n], [0, 0, 0x8000000000000283n]], [0, 77, 0xc5e6da00ec149266n]],
  ["sin", 3, [[1, -105, 0xddb5e7822929d270n]], [1, -105, 0xddb5e7822929d26fn]],
  ["cos", 3, [[1, -105, 0xddb5e7822929d270n]], [0, -1, 0xffffffffffffffffn]],
  ["tan", 3, [[1, -105, 0xddb5e7822929d270n]], [1, -105, 0xddb5e7822929d270n]],
  ["2xm1", 3, [[0, -8, 0xf93ddfe81d059a57n]], [0, -8, 0xad37a7a582c6a956n]],
  ["patan", 3, [[0, -68, 0xd413df5fea5ab772n], [1, -12, 0xa5e5c42633b80eb9n]], [0, 1, 0xc90fdaa22168c1e2n]],
  ["yl2xp1", 3, [[0, -68, 0xd413df5fea5ab772n], [1, -50, 0xb989e40bdf1a0654n]], [1, -117, 0xddc0055cafca1080n]],
  ["sin", 1, [[1, 28, 0xc447cc73a6a685can]], [0, -1, 0xa7be20e98ad5c56en]],
  ["cos", 1, [[1, 28, 0xc447cc73a6a685can]], [0, -1, 0xc162fa6b458e7da3n]],
  ["tan", 1, [[1, 28, 0xc447cc73a6a685can]], [0, -1, 0xde0da123267389efn]],
  ["2xm1", 1, [[0, -135, 0xf8724017c2ac444an]], [0, -135, 0xac35b873bdca6621n]],
  ["patan", 1, [[1, 119, 0xcaa6e92d017fb221n], [1, 15, 0x85da04e0ed1d5be0n]], [1, 0, 0xc90fdaa22168c235n]],
  ["yl2xp1", 1, [[1, 119, 0xcaa6e92d017fb221n], [1, -38, 0xb2f464859602a54cn]], [0, 82, 0xcc6015815b8a74acn]],
  ["sin", 3, [[1, 12, 0xbface191afa3acb2n]], [1, -1, 0xf0859f51b227a0a5n]],
  ["cos", 3, [[1, 12, 0xbface191afa3acb2n]], [0, -2, 0xaf5493e169925731n]],
  ["tan", 3, [[1, 12, 0xbface191afa3acb2n]], [1, 1, 0xaf97d7a156f7e4c8n]],
  ["2xm1", 3, [[1, -45, 0x914935bee94c1715n]], [1, -46, 0xc968bcba4db3926bn]],
  ["patan", 3, [[0, -131, 0x967011ab9a576987n], [1, -61, 0xe5609c7b0690d9f1n]], [0, 1, 0xc90fdaa22168c234n]],
  ["yl2xp1", 3, [[0, -131, 0x967011ab9a576987n], [0, -139, 0x898f92969b6cace3n]], [0, -270, 0xe93f41a719648c4en]],
  ["sin", 2, [[1, -10, 0x85430d3945408db0n]], [1, -10, 0x85430bb8166f6feen]],
  ["cos", 2, [[1, -10, 0x85430d3945408db0n]], [0, -1, 0xfffff7542862da50n]],
  ["tan", 2, [[1, -10, 0x85430d3945408db0n]], [1, -10, 0x8543103ba2fa453dn]],
  ["2xm1", 2, [[1, -104, 0xc2f663cf7418198fn]], [1, -104, 0x87233efbc021765en]],
  ["patan", 2, [[0, -77, 0x8d5c79ecdd056ae3n], [1, -82, 0xc3249a251f6fb9ddn]], [0, 0, 0xce9490ad8f87cd63n]],
  ["yl2xp1", 2, [[0, -77, 0x8d5c79ecdd056ae3n], [0, -53, 0x94eabe0a8078f2cbn]], [0, -130, 0xed449815c88b1c28n]],
];

test.each(rows)("%s, rounding mode %i, of %s", (name, rounding, args, result) => {
  const env = sf.createEnvironment("x87");
  env.rounding = rounding;
  const [a, b] = args.map((parts) => sf.finite(...parts));
  const value = functions[name]?.(env, a as sf.Unpacked, b ?? sf.zero(0));
  expect([value?.sign, value?.exponent, value?.significand]).toEqual(result);
  expect(env.flags).toBe(sf.INEXACT);
});
