/** What no terminal may get from us: controls but line ends and tabs, marks that turn the direction of text, what shows nothing. */
const raw = /(?![\t\n])(?:\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{DI})/u;
const beginning = String.fromCharCode(0x1b);
/** Colours, and links to files. */
const ours = new RegExp(`${beginning}\\[[\\d;]*m|${beginning}\\]8;;[!-~]*?${beginning}\\\\`, "g");

export const unprintableIn = (text: string): string | undefined => raw.exec(text.replace(ours, ""))?.[0];
