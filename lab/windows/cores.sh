#!/usr/bin/env bash
# Crowds in windows on the cores of one machine, by threads of one process and by shards of a core each: rows for lab/results/windows-cores.jsonl.
#     OUT=folder bash lab/windows/cores.sh [FRAMES] [CORES] [TARGETS …]
# Runs of all cores are made alone, and then those of one core side by side. What the machine allows is measured last, by a run of the first 1,254
# frames alone, and by as many such runs at once as there are cores.
set -uo pipefail
frames=${1:-20000} cores=${2:-16}
shift 2
targets=("${@:-12}")
here=$PWD out=${OUT:-/tmp/cores}
mkdir -p "$out" && work=$(mktemp -d) && cd "$work" || exit
# Ninety-six windows: six for each of 16 shards.
window=$(((frames + 94) / 96))
now() { date +%s.%N; }
on() { # cores input folder options …
  taskset -c "$1" node -r "$here/lab/windows/cpu.cjs" "$here/dist/cli/main.js" solve "$2.csv" --window "$window" --learn 300 -q -o "$3" "${@:4}" > /dev/null
}
row() { # kind count targets pool folder began [learned made] ended
  node -e '
    const [kind, count, targets, pool, window, folder, ...times] = process.argv.slice(1);
    const read = (file) => require("fs").readFileSync(file, "utf8");
    const { lowerBound, upperBound, detections, frames, version, revision, node, cpu: model, cores, platform, date } = JSON.parse(read(folder + "/result.json"));
    const [began, ...marks] = times.map(Number);
    const seconds = marks.map((end, k) => +(end - (marks[k - 1] ?? began)).toFixed(2));
    const phases = seconds.length === 3 ? { learn: seconds[0], shards: seconds[1], join: seconds[2] } : {};
    const processes = read(folder + ".cpu").trim().split("\n").map(JSON.parse);
    console.log(JSON.stringify({ benchmark: "windows-cores", kind, count: +count, targets: +targets, seconds: +(marks.at(-1) - began).toFixed(2), ...phases,
      processes, pool: +pool, frames, detections, window: +window, lowerBound, upperBound, version, revision, node, cpu: model, cores, platform, date }));
  ' "$1" "$2" "$3" "$4" "$window" "${@:5}" >> "$out/windows-cores.jsonl"
}
threads() { # targets count first-core pool
  local began folder=threads-$1-$2-$4; began=$(now)
  CPU_FILE=$folder.cpu NODE_OPTIONS=--v8-pool-size=$4 on "$3-$(($3 + $2 - 1))" "$1" "$folder" --threads "$2"
  row threads "$2" "$1" "$4" "$folder" "$began" "$(now)"
}
shards() { # targets count
  local began learned made folder=shards-$1 all=(); began=$(now)
  export CPU_FILE=$folder.cpu
  on "0-$(($2 - 1))" "$1" "$folder" --threads "$2" --shard "0/$2"
  learned=$(now)
  for k in $(seq "$2"); do on "$((k - 1))" "$1" "$folder" --threads 1 --shard "$k/$2" & all+=($!); done
  wait "${all[@]}"
  made=$(now)
  on "0-$(($2 - 1))" "$1" "$folder" --threads "$2"
  row shards "$2" "$1" 4 "$folder" "$began" "$learned" "$made" "$(now)"
}
copies() { # targets count: the first windows, as often as said at once
  local began folder=copies-$1-$2 all=(); began=$(now)
  for k in $(seq "$2"); do CPU_FILE=$folder.cpu on "$((k - 1))" "$1-first" "$folder-$k" --threads 1 & all+=($!); done
  wait "${all[@]}"
  mv "$folder-1" "$folder" && row copies "$2" "$1" 4 "$folder" "$began" "$(now)"
}
for t in "${targets[@]}"; do
  # The density of 12 targets in a field of 14 by 14.
  node "$here/lab/windows/long.mjs" "$frames" "$t" 1 "$(node -p "Math.round(14 * Math.sqrt($t / 12))")" > "$t.csv"
  shards "$t" "$cores"
  threads "$t" "$cores" 0 4
  threads "$t" "$cores" 0 "$cores"
done
ones=() core=0
for t in "${targets[@]}"; do
  threads "$t" 1 "$core" 4 & ones+=($!)
  core=$((core + 1))
done
wait "${ones[@]}"
for t in "${targets[@]}"; do
  awk -F, 'FNR <= 2 || $1 < 1254' "$t.csv" > "$t-first.csv"
  copies "$t" 1
  copies "$t" "$cores"
  for run in "shards-$t" "threads-$t-$cores-4" "threads-$t-$cores-$cores"; do
    for file in tracks.csv windows.jsonl; do cmp -s "threads-$t-1-4/$file" "$run/$file" || echo "$run: $file differs"; done
  done
done
node -e '
  const rows = require("fs").readFileSync(process.argv[1], "utf8").trim().split("\n").map(JSON.parse);
  for (const { kind, count, targets, pool, seconds, learn, shards, join, processes } of rows) {
    const one = rows.find((row) => row.kind === (kind === "copies" ? kind : "threads") && row.count === 1 && row.targets === targets).seconds;
    const cpu = (of) => processes.reduce((sum, each) => sum + each[of], 0).toFixed(1);
    console.log(kind.padEnd(8), String(targets).padStart(3), String(count).padStart(3), `pool ${pool}`, seconds.toFixed(1).padStart(7), "s", (one / seconds).toFixed(2).padStart(6), "x",
      `solving ${cpu("solving")} helping ${cpu("helping")}`, learn === undefined ? "" : `learn ${learn.toFixed(1)}, shards ${shards.toFixed(1)}, join ${join.toFixed(1)}`);
  }
' "$out/windows-cores.jsonl"
cd / && rm -rf "$work"
