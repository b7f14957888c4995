#!/usr/bin/env bash
# Shards by GNU parallel and by Snakemake, which Debian has: bash lab/windows/schedulers.sh, from the root of the project, after npm run build.
# Prints what each came to beside one process; exit code 1 where they differ.
set -euo pipefail
for program in parallel snakemake; do
  command -v "$program" > /dev/null || { echo "$program is not installed (Debian: apt-get install parallel snakemake)" >&2; exit 1; }
done
here=$PWD work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
printf '#!/bin/sh\nexec node %s/dist/cli/main.js "$@"\n' "$here" > rmap && chmod +x rmap && export PATH=$work:$PATH
node "$here/lab/windows/long.mjs" 600 12 1 14 > d.csv
solve=(rmap solve d.csv --window 50 --learn 100 --threads 1 -q)
"${solve[@]}" -o one > /dev/null
"${solve[@]}" -o many --shard 0/4 > /dev/null
parallel --jobs 2 "${solve[@]}" -o many --shard {}/4 ::: 1 2 3 4 > /dev/null
"${solve[@]}" -o many > /dev/null
cmp one/tracks.csv many/tracks.csv && cmp one/windows.jsonl many/windows.jsonl && echo "parallel: 12 windows in 4 shards: the bytes of one process"
cat > sweep.json <<'JSON'
{ "name": "s", "base": { "name": "s", "simulation": { "targets": 8, "frames": 8 } }, "grid": { "cost": ["spline", "likelihood"] }, "seeds": { "from": 1, "count": 8 } }
JSON
cat > Snakefile <<'SNAKE'
rule all:
    input: expand("out/{k}.done", k=range(1, 5))
    output: "out/rows.jsonl"
    shell: "rmap merge sweep.json out/rows.*.jsonl -o {output}"
rule shard:
    output: touch("out/{k}.done")
    shell: "rmap sweep sweep.json --shard {wildcards.k}/4 --append out/rows.{wildcards.k}.jsonl --jobs 1"
SNAKE
snakemake --cores 2 --quiet > snakemake.log 2>&1 || { cat snakemake.log >&2; exit 1; }
rmap sweep sweep.json --append local.jsonl --jobs 1 -q > /dev/null
node -e '
  const rows = (file) => require("fs").readFileSync(file, "utf8").trim().split("\n").map(JSON.parse)
    .map(({ times, date, ...row }) => JSON.stringify(row)).sort().join("\n");
  if (rows("out/rows.jsonl") !== rows("local.jsonl")) throw new Error("other rows");
  console.log("snakemake: 16 runs in 4 shards: the rows of one process");
'
