#!/usr/bin/env bash
# A crowd in windows on 1 to 16 cores of one machine, by threads of one process and by shards of a core each: rows for lab/results/windows-cores.jsonl.
#     OUT=folder bash lab/windows/cores.sh [FRAMES] [CORES]
# The run of one core and those of few are made side by side, each on cores of its own; those of all cores are made alone.
set -uo pipefail
frames=${1:-20000} cores=${2:-16}
here=$PWD out=${OUT:-/tmp/cores}
mkdir -p "$out" && work=$(mktemp -d) && cd "$work" || exit
rmap=(node "$here/dist/cli/main.js")
node "$here/lab/windows/long.mjs" "$frames" 12 1 14 > crowd.csv
# Ninety-six windows: six for each of 16 shards.
window=$(((frames + 94) / 96))
solve=(solve crowd.csv --window "$window" --learn 300 -q)
now() { date +%s.%N; }
row() { # kind count seconds folder [learn shards]
  node -e '
    const [kind, count, seconds, folder, learn, shards, window] = process.argv.slice(1);
    const { lowerBound, upperBound, detections, frames, version, revision, node, cpu, cores, platform, date } =
      JSON.parse(require("fs").readFileSync(folder + "/result.json", "utf8"));
    const phases = learn === "" ? {} : { learn: +learn, shards: +shards, join: +(seconds - learn - shards).toFixed(2) };
    console.log(JSON.stringify({ benchmark: "windows-cores", kind, count: +count, seconds: +(+seconds).toFixed(2), ...phases, frames, detections,
      window: +window, lowerBound, upperBound, version, revision, node, cpu, cores, platform, date }));
  ' "$1" "$2" "$3" "$4" "${5:-}" "${6:-}" "$window" >> "$out/windows-cores.jsonl"
}
threads() { # count first-core
  local began; began=$(now)
  taskset -c "$2-$(($2 + $1 - 1))" "${rmap[@]}" "${solve[@]}" --threads "$1" -o "threads$1" > /dev/null
  row threads "$1" "$(node -p "$(now) - $began")" "threads$1"
}
shards() { # count first-core
  local began learned made folder=shards$1; began=$(now)
  taskset -c "$2-$(($2 + $1 - 1))" "${rmap[@]}" "${solve[@]}" --threads "$1" -o "$folder" --shard "0/$1" > /dev/null
  learned=$(now)
  local all=()
  for k in $(seq "$1"); do
    taskset -c "$(($2 + k - 1))" "${rmap[@]}" "${solve[@]}" --threads 1 -o "$folder" --shard "$k/$1" > /dev/null & all+=($!)
  done
  wait "${all[@]}"
  made=$(now)
  taskset -c "$2-$(($2 + $1 - 1))" "${rmap[@]}" "${solve[@]}" --threads "$1" -o "$folder" > /dev/null
  row shards "$1" "$(node -p "$(now) - $began")" "$folder" "$(node -p "$learned - $began")" "$(node -p "$made - $learned")"
}
runs=(threads1)
if [ "$cores" -ge 16 ]; then
  threads 1 0 & one=$!
  (threads 2 1; shards 2 1) & two=$!
  (threads 4 3; shards 4 3) & four=$!
  (threads 8 7; shards 8 7) & eight=$!
  wait "$one" "$two" "$four" "$eight"
  threads 16 0; shards 16 0
  runs+=(threads2 threads4 threads8 threads16 shards2 shards4 shards8 shards16)
else
  threads 1 0; threads "$cores" 0; shards "$cores" 0
  runs+=("threads$cores" "shards$cores")
fi
for run in "${runs[@]}"; do
  for file in tracks.csv windows.jsonl; do cmp -s "threads1/$file" "$run/$file" || echo "$run: $file differs"; done
done
node -e '
  const rows = require("fs").readFileSync(process.argv[1], "utf8").trim().split("\n").map(JSON.parse);
  const one = rows.find(({ kind, count }) => kind === "threads" && count === 1).seconds;
  for (const { kind, count, seconds, learn, shards, join } of rows)
    console.log(kind.padEnd(8), String(count).padStart(3), seconds.toFixed(1).padStart(7), "s", (one / seconds).toFixed(2).padStart(6), "x",
      learn === undefined ? "" : `learn ${learn.toFixed(1)}, shards ${shards.toFixed(1)}, join ${join.toFixed(1)}`);
' "$out/windows-cores.jsonl"
cd / && rm -rf "$work"
