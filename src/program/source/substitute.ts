/**
 * An expression of a function in the words of its caller: parameters become what was passed. Always: undefined where it says something
 * that the caller has no words for, or where a parameter may have changed on the way.
 */
import type { SourceCall, SourceFunction } from "./functions.ts";
import { hasEffect, type RepeatableCalls } from "./repeatable.ts";

const isName = /(?<![\w.]|->)[A-Za-z_]\w*/g;

/** Variables that change or whose address is taken; `*p = 1` changes what p points to, and not p. */
const changed = /(?:\+\+|--|&)\s*(\w+)\b|\b(\w+)\s*(?:\+\+|--)|(?<![*.>]\s*)\b(\w+)\s*(?:[-+*/%&|^]?=(?!=)|<<=|>>=)/g;

export function inCallersWords(
  expression: string,
  { name, parameters, body }: SourceFunction,
  { args }: SourceCall,
  repeatable: RepeatableCalls,
): string | undefined {
  const locals = new Set(
    body
      .descendantsOfType("declaration")
      .flatMap((one) => one?.descendantsOfType("identifier").map((id) => id?.text) ?? []),
  );
  const written = new Set([...body.text.matchAll(changed)].flatMap(([, ...names]) => names));
  let isSayable = name !== "";
  const said = expression.replace(isName, (word) => {
    const index = parameters.findIndex((one) => one.name === word);
    const given = index < 0 ? undefined : args[index];
    if (index < 0 && !locals.has(word)) return word;
    if (given === undefined || written.has(word) || hasEffect(given, repeatable)) isSayable = false;
    return given === undefined ? word : /^\w+$/.test(given.text) ? given.text : `(${given.text})`;
  });
  return isSayable ? said : undefined;
}
