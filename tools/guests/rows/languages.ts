/** Interpreters and the database: programs that are programs for programs. */
import type { Row } from "../rows.ts";

const python = (name: string, script: string, rest: Partial<Row> = {}): Row => ({
  name: `python3 ${name}`,
  needs: "/usr/bin/python3",
  steps: [{ command: ["/usr/bin/python3", "-S", "-E", "-c", script] }],
  ...rest,
});

const sqlScript = `
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, kind INTEGER);
CREATE TABLE kind(id INTEGER PRIMARY KEY, title TEXT UNIQUE);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
INSERT INTO item SELECT i, 'item ' || (i * 7919 % 10007), (i * 31 % 997) / 7.0, i % 13 FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
INSERT INTO kind SELECT i, 'kind ' || char(65 + i) FROM n;
COMMIT;
CREATE INDEX by_name ON item(name);
CREATE INDEX by_kind ON item(kind, price DESC);
SELECT title, count(*), round(avg(price), 6), max(name) FROM item JOIN kind ON kind.id = item.kind GROUP BY title;
SELECT id, name FROM item WHERE name BETWEEN 'item 500' AND 'item 501' ORDER BY name;
UPDATE item SET price = price * 1.1 WHERE kind IN (SELECT id FROM kind WHERE title LIKE '%C' OR title LIKE '%F');
DELETE FROM item WHERE id % 17 = 0;
SELECT count(*), printf('%.9f', sum(price)), group_concat(DISTINCT kind) FROM item;
PRAGMA integrity_check;
EXPLAIN QUERY PLAN SELECT * FROM item WHERE kind = 3 ORDER BY price DESC;
VACUUM;
SELECT json_group_array(json_object('k', title)) FROM kind;
`;

const perlScript = `
my %seen; my @words = map { "w" . ($_ * 7919 % 101) } 1..3000;
$seen{$_}++ for @words;
print join(",", map { "$_=$seen{$_}" } (sort { $seen{$b} <=> $seen{$a} || $a cmp $b } keys %seen)[0..9]), "\\n";
my $text = "the power goes out"; (my $title = $text) =~ s/(\\w+)/\\u$1/g; print "$title\\n";
printf "%.15g %e %s %b\\n", atan2(1, 1) * 4, 2 ** 70, 1e15 + 0.3, 1234;
print join("|", "2024-01-31" =~ /(\\d+)-(\\d+)-(\\d+)/), " ", scalar reverse("abc"), " ", ucfirst lc "HELLO", "\\n";
local $@; eval { die { code => 42 } }; print "died with $@->{code}\\n";
print pack("NnCa*", 1, 2, 3, "x") eq "\\0\\0\\0\\1\\0\\2\\3x" ? "pack\\n" : "no\\n";
open(my $out, ">", "perl.txt") or die; print $out sprintf("%05d\\n", $_) for 1..100; close $out;
open(my $in, "<", "perl.txt") or die; my $sum = 0; $sum += $_ while <$in>; print "$sum\\n";
my $f; $f = sub { my $n = shift; $n < 2 ? $n : $f->($n - 1) + $f->($n - 2) }; print $f->(15), "\\n";
exit 6;
`;

const luaScript = `
local t = {} for i = 1, 5000 do t[#t + 1] = (i * 7919) % 10007 end
table.sort(t) print(#t, t[1], t[2500], t[5000])
print(string.format("%5.2f %q %x %g", math.pi, "a\\nb", 255, 2^53), 7 // 2, 7 % -3, 1 << 62, 3 | 4)
print(("the power goes out"):gsub("%w+", function(w) return w:upper():reverse() end))
local co = coroutine.wrap(function() for i = 1, 5 do coroutine.yield(i * i) end end)
print(co(), co(), co()) print(select("#", pcall(error, {code = 1})), select(2, pcall(error, {code = 8})).code)
local f = assert(io.open("lua.txt", "w")) f:write(("x"):rep(10000)) f:close()
print(#io.open("lua.txt"):read("a"), utf8.char(228, 8364), #utf8.char(8364), math.tointeger(3.0))
local big = setmetatable({}, {__index = function(_, k) return k * 2 end}) print(big[21])
collectgarbage() os.exit(3)
`;

export const languageRows: readonly Row[] = [
  {
    name: "sqlite3 on disk",
    needs: "/usr/bin/sqlite3",
    steps: [
      { command: ["/usr/bin/sqlite3", "-batch", "shop.db"], input: sqlScript },
      { command: ["/usr/bin/sqlite3", "-batch", "shop.db", "PRAGMA integrity_check; SELECT count(*) FROM item;"] },
    ],
  },
  {
    name: "sqlite3 in the overlay",
    needs: "/usr/bin/sqlite3",
    writes: "overlay",
    steps: [{ command: ["/usr/bin/sqlite3", "-batch", "shop.db"], input: `PRAGMA journal_mode=WAL;${sqlScript}` }],
  },
  {
    name: "sqlite3 in memory",
    needs: "/usr/bin/sqlite3",
    quick: true,
    steps: [{ command: ["/usr/bin/sqlite3", "-batch", ":memory:"], input: sqlScript.replaceAll("10000", "1500") }],
  },
  python(
    "json and re",
    `
import json, re
data = {"list": [1, 2.5, None, True], "text": "caf\\u00e9 \\"quoted\\"", "deep": {"er": {"still": list(range(20))}}}
text = json.dumps(data, sort_keys=True, indent=1); print(text); print(json.loads(text) == data)
print(re.findall(r"(\\w+)@(\\w+)\\.(?:com|org)", "ann@example.com bob@test.org x@y.net"))
print(re.sub(r"(?P<y>\\d{4})-(?P<m>\\d\\d)", lambda m: m["m"] + "/" + m["y"], "2024-01 and 1999-12"))
`,
  ),
  python(
    "hashlib",
    `
import hashlib, zlib, binascii, hmac
data = bytes(range(256)) * 40
for name in ("md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b", "blake2s"): print(name, hashlib.new(name, data).hexdigest())
print(zlib.crc32(data), zlib.adler32(data), binascii.hexlify(zlib.compress(data))[:60], hmac.new(b"k", data, "sha256").hexdigest())
`,
  ),
  python(
    "big numbers",
    `
import math, fractions, decimal
print(3 ** 1000 % 10 ** 50, math.factorial(200) // math.factorial(197), pow(7, 10 ** 18, 10 ** 9 + 7), math.isqrt(10 ** 101))
decimal.getcontext().prec = 60
print(decimal.Decimal(2).sqrt(), fractions.Fraction(355, 113) ** 5, int("f" * 100, 16))
`,
  ),
  python(
    "floats",
    `
import math, struct, random, cmath
for x in (0.1, 1e22, 5e-324, 1.7976931348623157e308, -0.0, 2 / 3, 1e16, 123456789.123): print(repr(x), "%.3e %g %.20f" % (x, x, x), x.hex())
print(math.sin(1e22), math.exp(1), math.gamma(0.5), math.fsum([0.1] * 10), round(2.675, 2), cmath.sqrt(-2))
random.seed(42); print([random.random() for _ in range(3)], random.gauss(0, 1), struct.pack("<fd", 1.1, 1.1).hex())
`,
    { quick: true },
  ),
  python(
    "classes, files and errors",
    `
import sys, os, io, collections, itertools, functools, threading
@functools.lru_cache
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(150), list(itertools.permutations("abc"))[-1], collections.Counter("mississippi").most_common(2))
with open("python.txt", "w") as f: f.writelines("%d\\n" % n for n in range(1000))
print(sum(map(int, open("python.txt"))), os.stat("python.txt").st_size, sorted(os.listdir(".")))
results = []
workers = [threading.Thread(target=lambda i=i: results.append(i * i)) for i in range(8)]
[w.start() for w in workers]; [w.join() for w in workers]; print(sorted(results))
try: {}["missing"]
except KeyError as error: print(repr(error))
gen = (x * x for x in range(10 ** 9)); print(next(gen), next(gen)); print(f"{3.14159:>10.2f}|{'x':^5}|{255:#x}", file=sys.stdout)
sys.exit(9)
`,
  ),
  { name: "perl", needs: "/usr/bin/perl", steps: [{ command: ["/usr/bin/perl", "-e", perlScript] }], quick: true },
  { name: "lua5.4", needs: "/usr/bin/lua5.4", steps: [{ command: ["/usr/bin/lua5.4", "-e", luaScript] }], quick: true },
];
