/** busybox, bash, coreutils, grep, sed and gawk. */
import type { Row } from "../rows.ts";
import { sampleBytes, sampleText } from "./samples.ts";

const text = sampleText(400);
const files = { "a.txt": text, "b.txt": sampleText(300, 7), "data.bin": sampleBytes(5000) };

const busybox = (name: string, command: readonly string[], rest: Partial<Row> = {}): Row => ({
  name: `busybox ${name}`,
  steps: [{ command: ["/bin/busybox", ...command], input: text }],
  files,
  needs: "/bin/busybox",
  ...rest,
});

const simple = (name: string, command: readonly string[], rest: Partial<Row> = {}): Row => ({
  name,
  steps: [{ command: [`/usr/bin/${command[0]}`, ...command.slice(1)], input: text }],
  files,
  ...rest,
});

const tree = {
  "tree/a": "a\n",
  "tree/empty": "",
  "tree/dir/b.txt": sampleText(3),
  "tree/dir/deeper/c": sampleBytes(10_000),
  "tree/name with spaces": "x",
};

const bashScript = `
declare -A ages=([ann]=31 [bob]=27)
for name in "\${!ages[@]}"; do printf '%s is %d\\n' "$name" "\${ages[$name]}"; done > ages.txt
total=0
for ((i = 1; i <= 2000; i++)); do ((total += i * i % 7)); done
echo "total $total"
text="The Power Goes Out"
echo "\${text,,} \${text^^} \${text// /_} \${#text} \${text:4:5}"
[[ $text =~ ([A-Z])ower ]] && echo "matched \${BASH_REMATCH[1]}"
f() { local n=$1; ((n < 2)) && { REPLY=$n; return; }; f $((n - 1)); local a=$REPLY; f $((n - 2)); ((REPLY += a)); }
f 12; echo "fib $REPLY"
mapfile -t lines < a.txt; echo "\${#lines[@]} lines, last: \${lines[-1]}"
printf '%x %o %e %q\\n' 255 8 1234.5 'it'"'"'s'
echo "written by bash" > out.txt; read -r back < out.txt; echo "$back"
trap 'echo leaving' EXIT
case $text in *Power*) echo found ;; esac
exit 5
`;

export const textRows: readonly Row[] = [
  busybox("sort", ["sort", "-k2"], { quick: true }),
  busybox("awk", ["awk", "{ s += $NF; l += length($0) } END { print NR, s, l, s / NR }"]),
  busybox("sed", ["sed", "-n", "s/\\(power\\) \\([a-z]*\\)/\\2-\\1/p"]),
  busybox("grep", ["grep", "-n", "-E", "crash.*(log|line)"]),
  busybox("md5sum", ["md5sum", "a.txt", "data.bin"]),
  busybox("sha512sum", ["sha512sum", "a.txt", "data.bin"]),
  busybox("tar", ["tar", "cf", "out.tar", "--", "a.txt"], { compareFiles: "sizes" }),
  busybox("diff", ["diff", "a.txt", "b.txt"]),
  busybox("cut", ["cut", "-d", " ", "-f", "1,3"]),
  busybox("tr", ["tr", "a-z", "A-Z"]),
  busybox("hexdump", ["hexdump", "-C", "data.bin"]),
  busybox("bc", ["bc"], { steps: [{ command: ["/bin/busybox", "bc"], input: "scale=40\n4*a(1)\n2^200\nsqrt(2)\n" }] }),
  busybox("find", ["find", "tree", "-type", "f", "-size", "+10"], { files: tree, name: "busybox find" }),
  busybox("dd", ["dd", "if=data.bin", "of=copy.bin", "bs=700", "skip=2"]),
  busybox("sh", ["sh", "-c", "i=0; while [ $i -lt 500 ]; do i=$((i + 1)); done; echo $i; set -- a b c; echo $# $*"]),
  {
    name: "bash builtins",
    steps: [{ command: ["/bin/bash", "-c", bashScript] }],
    files,
    quick: true,
  },
  simple("sort numeric", ["sort", "-n", "-k1,1r"]),
  simple("sort unique", ["sort", "-u", "a.txt", "b.txt"]),
  simple("sha256sum", ["sha256sum", "a.txt", "b.txt", "data.bin"], { quick: true }),
  simple("wc", ["wc", "a.txt", "b.txt", "data.bin"]),
  simple("ls", ["ls", "-lRgo", "--time-style=+%s", "tree"], { files: tree }),
  simple("od", ["od", "-A", "x", "-t", "x2z", "data.bin"]),
  simple("base64", ["base64", "data.bin"]),
  {
    name: "base64 round trip",
    files,
    steps: [
      { command: ["/usr/bin/base64", "-w", "0", "data.bin"] },
      { command: ["/usr/bin/base64", "-d"], input: "previous" },
    ],
  },
  simple("factor", ["factor", "1234567890123456789", "18446744073709551557", "600851475143", "18446744073709551617"]),
  simple("seq", ["seq", "-f", "%.3f", "0", "0.7", "100"]),
  simple("cp and mv", ["cp", "-r", "tree", "copy"], {
    files: tree,
    steps: [
      { command: ["/usr/bin/cp", "-r", "tree", "copy"] },
      { command: ["/usr/bin/mv", "copy/dir", "copy/moved"] },
      { command: ["/usr/bin/rm", "-r", "tree/dir"] },
      { command: ["/usr/bin/ln", "-s", "a", "tree/link"] },
      { command: ["/usr/bin/truncate", "-s", "12345", "tree/a"] },
    ],
  }),
  simple("join and paste", ["paste", "-d", ":", "a.txt", "b.txt"]),
  simple("numfmt", ["numfmt", "--to=iec", "1000", "123456789"]),
  simple("date", ["date", "-u", "-d", "@1700000000", "+%c %j %V"]),
  simple("grep -P", ["grep", "-c", "-P", "(?<=power )\\w+(?= crash)"]),
  simple("grep -rn", ["grep", "-rn", "flush", "tree"], { files: tree }),
  simple("grep no match", ["grep", "nothing like this", "a.txt"]),
  simple("sed script", ["sed", "-E", "1!G;h;$!d", "a.txt"]),
  simple("sed in place", ["sed", "-i", "-E", "s/([0-9]+) (\\w+)/\\2 \\1/g", "a.txt"]),
  simple(
    "gawk",
    [
      "gawk",
      '{ for (i = 2; i < NF; i++) n[$i]++; s += $NF } END { PROCINFO["sorted_in"] = "@ind_str_asc"; for (w in n) print w, n[w]; printf "%.6f %s\\n", log(s), substr($0, 3) }',
      "a.txt",
    ],
    { needs: "/usr/bin/gawk", quick: true },
  ),
];
