/**
 * Whether a program may ask for SSE status flags before it ever loads MXCSR: then they are kept from its start
 * (isa/ir/mxcsr.ts). Its symbol tables name what of fenv.h it calls; where that is a guess, the program is only slower.
 */
const questions = ["fetestexcept", "fegetexceptflag", "fegetenv", "feholdexcept", "feupdateenv"].map((name) =>
  new TextEncoder().encode(`${name}\0`),
);
const [f, e] = new TextEncoder().encode("fe") as unknown as [number, number];

export function asksForFloatFlags(file: Uint8Array): boolean {
  for (let at = file.indexOf(f); at >= 0; at = file.indexOf(f, at + 1))
    if (file[at + 1] === e && questions.some((name) => name.every((byte, i) => file[at + i] === byte))) return true;
  return false;
}
