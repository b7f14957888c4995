#!/usr/bin/env bash
# Crowds in windows on the cores of one machine, by threads of one process and by shards of a core each: rows for lab/results/windows-cores.jsonl.
#     OUT=folder bash lab/windows/cores.sh [FRAMES] [CORES] [TARGETS …]
# Runs of all cores are made alone; those of one core, a crowd each, side by side at the end.
set -uo pipefail
frames=${1:-20000} cores=${2:-16}
shift 2
targets=("${@:-12}")
here=$PWD out=${OUT:-/tmp/cores}
mkdir -p "$out" && work=$(mktemp -d) && cd "$work" || exit
rmap=(node -r "$here/lab/windows/cpu.cjs" "$here/dist/cli/main.js")
# Ninety-six windows: six for each of 16 shards.
window=$(((frames + 94) / 96))
solve=(solve --window "$window" --learn 300 -q)
now() { date +%s.%N; }
row() { # kind count seconds folder targets [learn shards pool]
  node -e '
    const [kind, count, seconds, folder, targets, learn, shards, pool, window] = process.argv.slice(1);
    const read = (file) => require("fs").readFileSync(file, "utf8");
    const { lowerBound, upperBound, detections, frames, version, revision, node, cpu: model, cores, platform, date } = JSON.parse(read(folder + "/result.json"));
    const phases = learn === "" ? {} : { learn: +(+learn).toFixed(2), shards: +(+shards).toFixed(2), join: +(seconds - learn - shards).toFixed(2) };
    const cpu = read(folder + ".cpu").trim().split("\n").map(JSON.parse);
    console.log(JSON.stringify({ benchmark: "windows-cores", kind, count: +count, targets: +targets, seconds: +(+seconds).toFixed(2), ...phases,
      processes: cpu, pool: +pool, frames, detections, window: +window, lowerBound, upperBound, version, revision, node, cpu: model, cores, platform, date }));
  ' "$1" "$2" "$3" "$4" "$5" "${6:-}" "${7:-}" "${8:-4}" "$window" >> "$out/windows-cores.jsonl"
}
threads() { # targets count first-core pool
  local began folder=threads-$1-$2-$4; began=$(now)
  CPU_FILE=$folder.cpu NODE_OPTIONS=--v8-pool-size=$4 taskset -c "$3-$(($3 + $2 - 1))" "${rmap[@]}" "${solve[@]}" "$1.csv" --threads "$2" -o "$folder" > /dev/null
  row threads "$2" "$(node -p "$(now) - $began")" "$folder" "$1" "" "" "$4"
}
shards() { # targets count
  local began learned made folder=shards-$1; began=$(now)
  export CPU_FILE=$folder.cpu
  "${rmap[@]}" "${solve[@]}" "$1.csv" --threads "$2" -o "$folder" --shard "0/$2" > /dev/null
  learned=$(now)
  local all=()
  for k in $(seq "$2"); do
    taskset -c "$((k - 1))" "${rmap[@]}" "${solve[@]}" "$1.csv" --threads 1 -o "$folder" --shard "$k/$2" > /dev/null & all+=($!)
  done
  wait "${all[@]}"
  made=$(now)
  "${rmap[@]}" "${solve[@]}" "$1.csv" --threads "$2" -o "$folder" > /dev/null
  row shards "$2" "$(node -p "$(now) - $began")" "$folder" "$1" "$(node -p "$learned - $began")" "$(node -p "$made - $learned")"
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
  for run in "shards-$t" "threads-$t-$cores-4" "threads-$t-$cores-$cores"; do
    for file in tracks.csv windows.jsonl; do cmp -s "threads-$t-1-4/$file" "$run/$file" || echo "$run: $file differs"; done
  done
done
node -e '
  const rows = require("fs").readFileSync(process.argv[1], "utf8").trim().split("\n").map(JSON.parse);
  for (const { kind, count, targets, pool, seconds, learn, shards, join, processes } of rows) {
    const one = rows.find((row) => row.count === 1 && row.targets === targets).seconds;
    const cpu = (of) => processes.reduce((sum, each) => sum + each[of], 0).toFixed(1);
    console.log(kind.padEnd(8), String(targets).padStart(3), String(count).padStart(3), `pool ${pool}`, seconds.toFixed(1).padStart(7), "s", (one / seconds).toFixed(2).padStart(6), "x",
      `solving ${cpu("solving")} helping ${cpu("helping")}`, learn === undefined ? "" : `learn ${learn.toFixed(1)}, shards ${shards.toFixed(1)}, join ${join.toFixed(1)}`);
  }
' "$out/windows-cores.jsonl"
cd / && rm -rf "$work"
