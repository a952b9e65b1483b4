/** Memory operands as they arrive: raw bits, read as the number they mean. */
import { fromInteger, type Unpacked, unpack32, unpack64 } from "../softfloat/index.ts";

export type Decode = (bits: bigint) => Unpacked;

export const m32fp: Decode = (bits) => unpack32(Number(BigInt.asIntN(32, bits)));
export const m64fp: Decode = (bits) => unpack64(BigInt.asUintN(64, bits));
export const m16int: Decode = (bits) => fromInteger(BigInt.asIntN(16, bits));
export const m32int: Decode = (bits) => fromInteger(BigInt.asIntN(32, bits));
export const m64int: Decode = (bits) => fromInteger(BigInt.asIntN(64, bits));
