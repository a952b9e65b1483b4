/** siginfo_t, 128 bytes (include/uapi/asm-generic/siginfo.h): number at 0, code at 8, what it is about from 16 on. */
import { struct } from "./call.ts";
import { PID } from "./process.ts";
import { SI } from "./signal-numbers.ts";
import type { PendingSignal, PosixTimer } from "./state.ts";

export const SIGINFO_BYTES = 128;

function build(signal: number, code: number, rest: (view: DataView) => void): PendingSignal {
  const info = struct(SIGINFO_BYTES, (view) => {
    view.setInt32(0, signal, true);
    view.setInt32(8, code, true);
    rest(view);
  });
  return { signal, info };
}

/** Sent by a thread of the guest itself. */
export const sentSignal = (signal: number, code: number, uid: number): PendingSignal =>
  build(signal, code, (view) => {
    view.setInt32(16, PID, true);
    view.setUint32(20, uid, true);
  });

export const faultSignal = (signal: number, code: number, address: bigint): PendingSignal =>
  build(signal, code, (view) => view.setBigUint64(16, BigInt.asUintN(64, address), true));

/** From an interval timer or the kernel itself. */
export const kernelSignal = (signal: number, code: number): PendingSignal => build(signal, code, () => {});

/** From timer_create(2). */
export const timerSignal = ({ signal, id, overrun, value }: PosixTimer): PendingSignal =>
  build(signal, SI.TIMER, (view) => {
    view.setInt32(16, id, true);
    view.setInt32(20, overrun, true);
    view.setBigUint64(24, value, true);
  });

/** As rt_sigqueueinfo was given it, with the number made true. */
export function givenSignal(signal: number, given: Uint8Array): PendingSignal {
  const info = given.slice();
  new DataView(info.buffer).setInt32(0, signal, true);
  return { signal, info };
}

export const addressOf = ({ info }: PendingSignal): bigint => new DataView(info.buffer).getBigUint64(16, true);
