/**
 * Instructions of the interpreter that are one case of it where they follow one another, by their names; of several that fit the longest
 * is taken. They are what programs on libpmemobj execute most (docs/adr/0002-interpreter-in-webassembly.md). All but the last go on to the
 * next one whatever they find.
 */
const push = "i64.sub store64 copy.i64";
const pop = "load64 i64.add copy.i64";
const compare = "i64.sub flags";

export const sequenceNames: readonly string[] = [
  ...[push, `${push} ${push}`, `copy.i64 ${push}`, pop, `${pop} ${pop}`, "load64 i64.add"],
  // Returns and calls; those that prune and enter are of runs whose calls are followed.
  ...["load64 i64.add jump", "load64 i64.add prune jump", `${push} enter goto`, `${push} enter jump`],
  ...[compare, `copy.i64 ${compare}`, "copy.i64 i64.add flags", "copy.i64 flags", "i64.add flags"],
  ...["eq", "ne", "lt_u", "le_u"].map((question) => `${compare} i64.${question} branch`),
  ...["flags i64.eqz branch", "flags i32.eqz branch", "flags i32.eqz i32.eqz branch", "i32.eqz branch"],
  ...["i64.add load64", "i64.add load64 copy.i64", "i64.add load32", "i64.add load32 i64.extend_i32_u"],
  ...["i64.add store64", "i64.add store64 i64.add store64", "load64 copy.i64", "load32 i64.extend_i32_u"],
  ...["copy.i64 load64", "copy.i64 copy.i64", "copy.i64 i64.add", "copy.i64 goto"],
  ...["flags i64.add", "flags copy.i64", "i64.extend_i32_u flags", "i32.wrap_i64 copy.i64 flags"],
  ...["i32.wrap_i64 i64.extend_i32_u", "i32.wrap_i64 i32.and"],
  // A rotation, of which a client request has four.
  "i64.rotl i64.shr_u i32.wrap_i64 i32.wrap_i64 i32.and i32.xor i32.shl i32.or carry",
];
