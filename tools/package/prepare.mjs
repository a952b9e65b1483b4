/**
 * npm's `prepare`: lays the package out before npm packs it, here (`npm pack`) or in a clone of its own (`npm install git+…`).
 * Whoever installs what the sources need, in the sources, packs nothing.
 */
const { npm_command: command, INIT_CWD: startedIn } = process.env;
const installsHere = ["ci", "install"].includes(command ?? "") && startedIn === process.cwd();
if (!installsHere) await import("./layout.mjs");
