/** Databases in memory-mapped files, each with a check or a dump of its own after it. */
import type { Row } from "../rows.ts";

const sqlite = "/usr/bin/sqlite3";
const [hash, tree] = ["/usr/bin/kchashmgr", "/usr/bin/kctreemgr"];
const tkrzw = "/usr/bin/tkrzw_dbm_util";
const gdbm = "/usr/bin/gdbmtool";
const tdb = "/usr/bin/tdbtool";

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
/** Records whose sizes and order vary, as lines. */
const records = (count: number, line: (key: string, value: string) => string): string =>
  numbers(count)
    .map((i) => line(`key${(i * 7919) % count}`, `${"value ".repeat(1 + (i % 40))}${i}`))
    .join("");
const tabbed = records(600, (key, value) => `${key}\t${value}\n`);

const lmdb = (name: string, ...modes: readonly string[]): Row => ({
  name,
  source: "lmdb.c",
  flags: ["-O2", "-llmdb"],
  needs: "/usr/include/lmdb.h",
  // The table of readers names processes and threads.
  compareFiles: "sizes",
  ignore: /Max readers|Number of readers/,
  steps: [
    { command: ["{program}", ...modes] },
    { command: ["/usr/bin/mdb_stat", "-e", "-f", "-a", "."] },
    { command: ["/usr/bin/mdb_dump", "-a", "-p", "."] },
    { command: ["/usr/bin/mdb_load", "-n", "copy.mdb"], input: "previous" },
    { command: ["/usr/bin/mdb_dump", "-n", "-a", "copy.mdb"] },
    { command: ["/usr/bin/mdb_copy", "-c", "."] },
  ],
});

const sqlMapped = `PRAGMA journal_mode=WAL; PRAGMA mmap_size=67108864;
CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, size INTEGER); CREATE INDEX by_name ON t(name);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
  INSERT INTO t SELECT i, 'name ' || (i * 7919 % 3001), i * i FROM n;
PRAGMA wal_checkpoint(TRUNCATE);
DELETE FROM t WHERE id % 3 = 0; UPDATE t SET name = name || ' again' WHERE id % 5 = 0;
SELECT count(*), sum(size), min(name), max(name) FROM t; PRAGMA wal_checkpoint(TRUNCATE); VACUUM;
SELECT count(*), sum(length(name)) FROM t; PRAGMA integrity_check;\n`;
const sqlChecked = "PRAGMA mmap_size=67108864; PRAGMA integrity_check; SELECT id, name FROM t WHERE id % 97 = 1;";

const gdbmScript = records(400, (key, value) => `store ${key} "${value}"\n`);
const gdbmLater = `${numbers(100)
  .map((i) => `delete key${3 * i}\n`)
  .join("")}reorganize\ncount\nlist\n`;

const tdbScript = `create t.tdb\n${records(300, (key, value) => `insert ${key} ${value.replaceAll(" ", "_")}\n`)}${numbers(
  60,
)
  .map((i) => `delete key${5 * i}\n`)
  .join("")}check\ndump\n`;

/** Lines that tell of times, processes and addresses. */
const kyotoFacts = /^(opaque|memory|time|realsize|timestamp)|time:/;

export const databaseRows: readonly Row[] = [
  lmdb("LMDB"),
  lmdb("LMDB, written through its map", "writemap"),
  lmdb("LMDB, map written back later", "writemap", "async"),
  {
    name: "sqlite3 with WAL and a mapped file",
    needs: sqlite,
    steps: [
      { command: [sqlite, "-batch", "shop.db"], input: sqlMapped },
      { command: [sqlite, "-batch", "shop.db", sqlChecked] },
      { command: [sqlite, "-batch", "shop.db", ".dump"] },
    ],
  },
  {
    name: "sqlite3 with WAL and a mapped file, in the overlay",
    needs: sqlite,
    writes: "overlay",
    steps: [{ command: [sqlite, "-batch", "shop.db"], input: `${sqlMapped}${sqlChecked}\n.dump\n` }],
  },
  {
    name: "tdb",
    needs: tdb,
    // Every change of a tdb carries a random number.
    compareFiles: "sizes",
    steps: [
      { command: [tdb], input: tdbScript },
      { command: ["/usr/bin/tdbdump", "t.tdb"] },
      { command: ["/usr/bin/tdbrestore", "copy.tdb"], input: "previous" },
      { command: [tdb, "copy.tdb", "check"] },
      { command: ["/usr/bin/tdbbackup", "-v", "t.tdb"] },
    ],
  },
  ...[
    { manager: hash, file: "records.kch", options: ["-bnum", "1000"] },
    { manager: tree, file: "records.kct", options: ["-bnum", "1000", "-psiz", "1024"] },
  ].map(
    ({ manager, file, options }): Row => ({
      name: `Kyoto Cabinet's ${manager.slice("/usr/bin/kc".length, -"mgr".length)} database`,
      needs: manager,
      files: { "records.tsv": tabbed },
      compareFiles: "sizes",
      ignore: kyotoFacts,
      steps: [
        { command: [manager, "create", "-otr", ...options, file] },
        { command: [manager, "import", file, "records.tsv"] },
        { command: [manager, "removebulk", file, "key3", "key6", "key599"] },
        { command: [manager, "set", "-app", file, "key4", " and more"] },
        { command: [manager, "check", file] },
        { command: [manager, "inform", "-st", file] },
        { command: [manager, "list", "-pv", file] },
        { command: [manager, "defrag", file] },
        { command: [manager, "check", file] },
      ],
    }),
  ),
  ...["hash", "tree", "skip"].map((kind): Row => {
    const command = (verb: string, ...args: readonly string[]) => [tkrzw, verb, "--dbm", kind, ...args];
    const file = `records.tk${kind[0]}`;
    return {
      name: `tkrzw's ${kind} database`,
      needs: tkrzw,
      files: { "records.tsv": tabbed },
      compareFiles: "sizes",
      ignore: /time|elapsed/,
      steps: [
        { command: command("create", "--truncate", file) },
        { command: command("import", "--tsv", file, "records.tsv") },
        { command: command("set", file, "key4", "another value") },
        { command: command("remove", file, "key3") },
        { command: command("inspect", "--validate", file) },
        { command: command("list", "--items", "10000", file) },
        { command: command("rebuild", file) },
        { command: command("inspect", "--validate", file) },
        { command: command("get", file, "key4") },
      ],
    };
  }),
  {
    name: "gdbm",
    needs: gdbm,
    compareFiles: "sizes",
    ignore: /created by|^#:(file|uid)/,
    steps: [
      { command: [gdbm, "-N", "-q", "-n", "g.db"], input: gdbmScript },
      { command: [gdbm, "-N", "-q", "g.db"], input: gdbmLater },
      { command: ["/usr/bin/gdbm_dump", "g.db"] },
      { command: ["/usr/bin/gdbm_load", "-", "copy.db"], input: "previous" },
      { command: [gdbm, "-N", "-q", "-r", "copy.db"], input: "count\nlist\n" },
    ],
  },
];
