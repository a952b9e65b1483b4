/** Numbers as they were before `packQuestions` put neighbours together, whatever their size. */
export function unpackNumbers(packed: readonly number[]): number[] {
  const numbers: number[] = [];
  let last = 0;
  for (let at = 0; at < packed.length; at += 2) {
    last += packed[at]!;
    for (let i = 0; i < packed[at + 1]!; i++) numbers.push(last + i);
    last = numbers.at(-1)!;
  }
  return numbers;
}
